"""A token reads through the pages and endpoints that gather from everywhere only what its scopes open."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.adgroups.model.adgroups import Schedule
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform.actor import Role
from tests.apps.adgroups.making import add_approved
from tests.support.things import Things, make_things
from tests.support.web import SECRET, Web

GROUP, KIND = "Shoes", "demo.greet"


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.adgroups", secret_key=SECRET)


@pytest.fixture
async def things(web: Web) -> Things:
    """With an ad group that waits for its start, and a job that waits for its moment."""
    unit, actor = web.unit("haeundae"), (await web.person("haeundae", Role.ADMIN)).actor()
    async with web.db.transaction() as tx:
        soon = tx.now + timedelta(minutes=30)
        await add_approved(tx, actor, Schedule(soon, soon + timedelta(days=9), "Asia/Seoul", None))
        await queue.enqueue(tx, NewJob(KIND, unit_id=unit.id, delay=timedelta(minutes=20)))
    return await make_things(web.db, web.app.services.files, web.app.services.vault, unit)


async def test_search_finds_what_the_scopes_open(web: Web, things: Things) -> None:
    found = {}
    for area in ("adgroups", "schedules", "jobs", "people", "facts"):
        client = await web.as_("haeundae", scopes=(f"{area}:read",), Accept="text/html")
        pages = [(await client.get("/search", params={"q": word})).text for word in (GROUP, things.marks[0])]
        marks = {
            "adgroups": "/ads/groups/" in pages[0],
            "schedules": f"schedule {things.marks[0]}" in pages[1],
            "people": f"person {things.marks[0]}" in pages[1],
        }
        about = await client.get("/search", params={"q": f"oven:{things.marks[0]}"})
        straight = await client.get("/search", params={"q": things.job})
        marks["jobs"] = f"/jobs/{things.job}" in about.text or straight.status_code == 303
        found[area] = {name for name, is_there in marks.items() if is_there}

    assert found == {
        "adgroups": {"adgroups"},
        "schedules": {"schedules"},
        "jobs": {"jobs"},
        "people": {"people"},
        "facts": set(),
    }


@pytest.mark.parametrize("base", ["/why/", "/api/v1/why/"])
async def test_a_story_is_told_to_those_who_may_read_what_it_is_about(web: Web, things: Things, base: str) -> None:
    answers = {}
    for area in ("jobs", "schedules", "people"):
        client = await web.as_("haeundae", scopes=(f"{area}:read",))
        asked = {"job": things.job, "schedule": things.schedule, "occurrence": things.occurrence}
        answers[area] = {name: (await client.get(f"{base}{one}")).status_code for name, one in asked.items()}

    assert answers == {
        "jobs": {"job": 200, "schedule": 403, "occurrence": 403},
        "schedules": {"job": 403, "schedule": 200, "occurrence": 200},
        "people": {"job": 403, "schedule": 403, "occurrence": 403},
    }


async def test_the_story_of_an_occurrence_leaves_out_its_job_for_those_who_may_not_read_jobs(
    web: Web, things: Things
) -> None:
    path = f"/api/v1/why/{things.occurrence}"
    both = await web.as_("haeundae", scopes=("schedules:read", "jobs:write"))
    one = await web.as_("haeundae", scopes=("schedules:read",))

    whole, part = (await both.get(path)).json(), (await one.get(path)).json()

    assert {"enqueued_because", "waits_for_slot"} <= {line["code"] for line in whole["lines"]}
    assert {line["code"] for line in part["lines"]} == {"occurrence_enqueued"}
    assert ("cancel_job" in whole["advice"], part["advice"]) == (True, ["look_at_schedule"])


async def test_a_story_advises_nothing_its_reader_may_not_do(web: Web, things: Things) -> None:
    advice = {
        role: (await (await web.as_("haeundae", role)).get(f"/api/v1/why/{things.schedule}")).json()["advice"]
        for role in (Role.VIEWER, Role.OPERATOR)
    }

    assert "pause_schedule" not in advice[Role.VIEWER]
    assert advice[Role.OPERATOR]


async def test_what_comes_next_is_told_by_what_may_be_read(web: Web, things: Things) -> None:
    found = {}
    for scopes in (("schedules:read",), ("schedules:read", "jobs:read"), ("schedules:read", "adgroups:read")):
        client = await web.as_("haeundae", scopes=scopes)
        coming = (await client.get("/api/v1/upcoming")).json()["items"]
        found[scopes[-1]] = {one["what"] for one in coming}

    assert found == {
        "schedules:read": {"schedule"},
        "jobs:read": {"schedule", "job"},
        "adgroups:read": {"schedule", "timer"},
    }


async def test_the_front_page_shows_what_the_scopes_open(web: Web, things: Things) -> None:
    shown = {}
    for area in ("alerts", "jobs", "adgroups", "files"):
        client = await web.as_("hq", scopes=(f"{area}:read",), Accept="text/html")
        page = (await client.get("/")).text
        marks = {"alerts": f"oven:{things.marks[0]}", "jobs": KIND, "adgroups": 'href="/ads/groups/'}
        shown[area] = {name for name, mark in marks.items() if mark in page}
        assert "/servers" not in page

    assert shown == {"alerts": {"alerts"}, "jobs": {"jobs"}, "adgroups": {"adgroups"}, "files": set()}


async def test_a_machine_is_read_by_those_who_may_read_its_area(web: Web) -> None:
    general = await web.as_("haeundae", scopes=("machines:manage",))
    owner = await web.as_("haeundae", scopes=("adgroups:read",))

    listed = {
        name: [one["name"] for one in (await client.get("/api/v1/machines")).json()["items"]]
        for name, client in (("general", general), ("owner", owner))
    }
    answers = [
        (await client.get(path)).status_code
        for client in (general, owner)
        for path in ("/api/v1/machines/adgroup/subjects", "/machines/adgroup")
    ]

    assert listed == {"general": ["kettle"], "owner": ["adgroup"]}
    assert answers == [403, 403, 200, 200]
