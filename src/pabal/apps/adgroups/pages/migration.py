"""From calculated to stored: how far it is, old ad groups brought over by a dry run first, and whose state is shown."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from pabal.apps.adgroups.errors import BadLegacyFile, NoLegacyTable
from pabal.apps.adgroups.legacy import actions, mismatches, shadow
from pabal.apps.adgroups.legacy.flags import count_sources
from pabal.apps.adgroups.legacy.model import COLUMNS, NEEDED, FromFile, FromTable, Origin, Run, RunState
from pabal.apps.adgroups.legacy.shadow import EXPECTED
from pabal.apps.adgroups.legacy.words import RUN_STATES
from pabal.apps.adgroups.model.adgroups import Source
from pabal.apps.adgroups.pages.faults import Fault
from pabal.apps.adgroups.pages.flagged import load_flags
from pabal.apps.adgroups.pages.listing import AREA, MOST_CHOICES, TOPICS
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.storage import Upload, UploadTooLarge
from pabal.platform.tenants import visible_to
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import read_number, turn
from pabal.platform.web.posted import Posted, open_posted
from pabal.platform.web.tree import load_tree
from pabal.platform.web.uploads import FilePart, PartLimits
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/migration", include_in_schema=False)
HERE = "/ads/migration"
MOST_BYTES = 1024**3
LIMITS = PartLimits(max_body=MOST_BYTES + 1024**2, max_parts=10)
PostedForm = Annotated[Posted, Depends(open_posted(LIMITS))]
NO_FILE: Pair = ("Choose a CSV file first.", "CSV 파일을 먼저 고르세요.")
LOOKS: dict[str, str] = {
    RunState.PLANNED: "wait",
    RunState.RUNNING: "work",
    RunState.DONE: "good",
    RunState.FAILED: "fail",
    RunState.ROLLING_BACK: "work",
    RunState.ROLLED_BACK: "end",
}


@router.get("")
async def show(visit: Visitor, cursor: Annotated[str, Query()] = "") -> Response:
    return await show_migration(visit, cursor)


@router.get("/plan")
async def look_again(visit: Visitor) -> Response:
    """Where one stands after a file that could not be read."""
    return visit.go(HERE)


@router.post("/plan")
async def plan(posted: PostedForm) -> Response:
    """A dry run: everything is read and mapped, and nothing is made."""
    visit = posted.visit
    visit.actor.require(Right.MANAGE, AREA)
    what = ("The dry run did not begin", "미리 해 보기를 시작하지 못했습니다")
    try:
        origin, unit_id = await _receive(posted)
        if origin is None:
            fault = Fault(what, visit.say(*NO_FILE), "no_file", "csv")
            return await show_migration(visit, fault=fault)
        run = await actions.dry_run(visit.services, visit.actor, origin, unit_id)
    except (BadLegacyFile, NoLegacyTable, UploadTooLarge) as error:
        return await show_migration(visit, fault=Fault(what, _tell(visit, error), error.code, "csv"))
    return visit.go(
        f"{HERE}/{run.id}",
        said=("Read: {rows} rows. Nothing was made yet.", "{rows}행을 읽었습니다. 아직 만든 것은 없습니다."),
        rows=f"{run.rows:,}",
    )


async def show_migration(visit: Visit, cursor: str = "", *, fault: Fault | None = None) -> Response:
    """Also after something went wrong on it."""
    async with visit.read() as tx:
        page = await read_page(lambda at: actions.list_runs(tx, visit.actor, at), cursor)
        values = {
            **await _load_standing(tx, visit),
            **await load_flags(tx, visit),
            "names": await name_actors(tx, visit, {one.created_by for one in page.items}),
            "campaigns": [
                (one.id, one.name) for one in (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
            ],
            "units": (await load_tree(tx, visit.scope)).choices(),
            "is_house": (await visible_to(tx, visit.actor)).units is None,
        }
    return await visit.show(
        "adgroups/migration.html",
        200 if fault is None else 422,
        runs=page.items,
        looks=LOOKS,
        run_words=RUN_STATES,
        columns=COLUMNS,
        needed=NEEDED,
        fault=fault,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
        steps=_make_steps(visit, page.items, values),
        **values,
    )


async def _load_standing(tx: Tx, visit: Visit) -> dict[str, Any]:
    """`unexpected`: differences the calculator could have seen as the machine does; the others are its blind spots."""
    sources = await count_sources(tx, visit.actor)
    found = await mismatches.count_open(tx, visit.scope)
    return {
        "machine": sources[Source.MACHINE],
        "calculator": sources[Source.CALCULATOR],
        "open_mismatches": sum(found.values()),
        "unexpected": sum(count for cause, count in found.items() if cause not in EXPECTED),
        "last_pass": await shadow.last_pass(tx),
    }


async def _receive(posted: Posted) -> tuple[Origin | None, int | None]:
    """The fields come before the file, so that whose they become is known when it is kept."""
    visit, unit_id, origin = posted.visit, None, None
    async for part in posted.parts:
        if isinstance(part, FilePart):
            upload = Upload(part.chunks, part.filename, unit_id, area=AREA)
            services = visit.services
            file = await storage.accept_file(
                services.changes, services.files, visit.actor, upload, max_bytes=MOST_BYTES
            )
            origin = FromFile(file.id)
        elif part.name == "unit_id":
            unit_id = read_number(part.value)
        elif part.name == "source" and part.value == "table":
            return FromTable(), unit_id
    return origin, unit_id


def _make_steps(visit: Visit, runs: list[Run], standing: dict[str, Any]) -> list[dict[str, Any]]:
    """What was done of the way; the first that was not is where one stands."""
    done = {run.state for run in runs}
    last = standing["last_pass"]
    steps = [
        (visit.say("Dry run", "미리 해 보기"), visit.say("read, map, report", "읽고, 옮겨 보고, 보고서"), bool(runs)),
        (visit.say("Run", "옮기기"), visit.say("can be taken back", "되돌릴 수 있음"), RunState.DONE in done),
        (
            visit.say("Compare", "견주기"),
            visit.say("calculator and machine", "계산기와 상태 기계"),
            RunState.DONE in done and last is not None and standing["unexpected"] == 0,
        ),
        (
            visit.say("Switch over", "넘어가기"),
            visit.say("by flag, then all", "플래그로, 다음에 모두"),
            RunState.DONE in done and standing["calculator"] == 0,
        ),
    ]
    first = next((place for place, (_, _, is_done) in enumerate(steps) if not is_done), None)
    return [
        {"label": label, "note": note, "done": is_done, "current": place == first}
        for place, (label, note, is_done) in enumerate(steps)
    ]


def _tell(visit: Visit, error: PabalError) -> str:
    """The sentence and, where it names one, the place in the file."""
    said = explain(error, visit.lang)
    return f"{said} ({error.detail})" if isinstance(error, BadLegacyFile) and error.detail else said
