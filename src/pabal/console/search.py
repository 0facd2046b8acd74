"""Search over what one may see: an id goes straight there; words look through schedules, people and apps."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.engine import ids, listing, why
from pabal.engine.listing import IdAmbiguous, jobs, schedules
from pabal.platform import auth, operating, tenants
from pabal.platform.overview import Found
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter()
EACH = 10


@router.get("/search")
async def search(visit: Visitor, q: Annotated[str, Query(max_length=200)] = "") -> Response:
    text = q.strip()
    async with visit.read() as tx:
        straight = await _find_by_id(tx, visit, text) if text else None
        if straight is not None:
            return visit.go(straight)
        found = await _find(tx, visit, text) if text else []
    return await visit.show("search.html", text=text, found=found, search_text=text)


async def _find_by_id(tx: Tx, visit: Visit, text: str) -> str | None:
    try:
        if text.startswith("job_") and visit.may("read", "jobs"):
            job = await operating.get_job(tx, visit.scope, text)
            return f"/jobs/{ids.show('job', job.id)}"
        if text.startswith("sch_") and visit.may("read", "schedules"):
            schedule = await operating.get_schedule(tx, visit.scope, why.read_schedule(text))
            return f"/schedules/{why.show_schedule(schedule.id)}"
        if text.startswith("occ_") and visit.may("read", "schedules"):
            await operating.get_occurrence(tx, visit.scope, *why.read_occurrence(text))
            return f"/why/{text}"
    except (NotFound, Invalid, IdAmbiguous):
        return None
    return None


async def _find(tx: Tx, visit: Visit, text: str) -> list[Found]:
    found = [
        one
        for app in visit.site.slices
        if app.find is not None and visit.may("read", app.name)
        for one in await app.find(tx, visit.scope, text)
    ]
    if visit.may("read", "schedules"):
        found += await _schedules(tx, visit, text)
    if visit.may("read", "jobs"):
        found += await _jobs(tx, visit, text)
    if visit.may("read", "people"):
        found += await _people(tx, visit, text)
    return found


async def _schedules(tx: Tx, visit: Visit, text: str) -> list[Found]:
    """Those of an app that finds its own are not told twice."""
    spoken = tuple(f"{one.name}." for one in visit.site.slices if one.find is not None)
    wanted = schedules.Wanted(units=visit.scope.listed, q=text)
    page = await listing.list_schedules(tx, wanted, limit=EACH)
    return [
        Found(("Schedule", "스케줄"), one.name, one.kind, f"/schedules/{why.show_schedule(one.id)}")
        for one in page.items
        if not one.kind.startswith(spoken)
    ]


async def _jobs(tx: Tx, visit: Visit, text: str) -> list[Found]:
    """Of this kind, or about this."""
    found: list[Found] = []
    for wanted in (
        jobs.Wanted(units=visit.scope.listed, about=text, veiled=visit.scope.veiled),
        jobs.Wanted(units=visit.scope.listed, kind=text, veiled=visit.scope.veiled),
    ):
        page = await listing.list_jobs(tx, wanted, limit=EACH)
        found += [
            Found(("Job", "작업"), one.kind, one.about or "", f"/jobs/{ids.show('job', one.id)}") for one in page.items
        ]
    return found[:EACH]


async def _people(tx: Tx, visit: Visit, text: str) -> list[Found]:
    people = await auth.list_users(tx, visit.scope, words=text, limit=EACH)
    units = await tenants.list_units(tx, visit.scope.listed)
    return [
        *(Found(("Person", "사용자"), user.name, user.login, f"/people/users/{user.id}") for user in people),
        *(
            Found(("Organisation", "조직"), unit.name, "", f"/people?unit={unit.id}")
            for unit in units
            if text.lower() in unit.name.lower()
        ),
    ][: 2 * EACH]
