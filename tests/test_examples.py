"""The examples of the README run as they are printed there, and the example app does all it shows."""

import asyncio
import importlib.util
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.settings import Settings
from pabal.engine import timers, transitions
from pabal.engine.transitions import GuardRefused
from pabal.platform import audit, demo
from pabal.platform.actor import ENGINE, Role
from pabal.platform.slice import Slice, load_slice
from pabal.testing import Parts, advance, assert_enqueued, drain
from tests.cli.inside import Inside
from tests.support.pages import read, visitor
from tests.support.web import SECRET, Web

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
LOSTFOUND = "/api/v1/lostfound"


async def start(db: Database, slice_: Slice) -> Parts:
    await migrate(db, slice_.read_migrations())
    if slice_.on_start is not None:
        async with db.transaction() as tx:
            await slice_.on_start(tx)
    return Parts(db, slice_.kinds, slice_.machines, slice_.subscribers)


async def test_the_first_job_greets_once(db: Database, capsys: pytest.CaptureFixture[str]):
    parts = await start(db, load_slice(str(EXAMPLES / "first_job.py")))
    await drain(parts)

    assert capsys.readouterr().out == "안녕하세요, 파발!\n"
    await assert_enqueued(db, "hello.greet", name="파발", count=1)


async def test_the_first_schedule_speaks_every_morning(db: Database, capsys: pytest.CaptureFixture[str]):
    parts = await start(db, load_slice(str(EXAMPLES / "first_schedule.py")))
    await start(db, load_slice(str(EXAMPLES / "first_schedule.py")))

    await advance(parts, timedelta(days=3))

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all("T00:00:00+00:00" in line for line in lines), "nine in Seoul is midnight in UTC"


async def test_an_event_starts_a_workflow_once_for_each_large_order(db: Database, capsys: pytest.CaptureFixture[str]):
    spec = importlib.util.spec_from_file_location("example_by_event", EXAMPLES / "workflow_by_event.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    await example.show(db)

    lines = [line.partition(" because of ") for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["a-1 done", "a-3 done"]


@pytest.mark.req("D-18", "D-33")
async def test_the_workflow_takes_back_what_it_paid_last_first(
    db: Database, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    spec = importlib.util.spec_from_file_location("example_workflow", EXAMPLES / "workflow.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    pulse = await Database.open(db.url, size=2)

    going_on = asyncio.create_task(example.show(db, pulse, tmp_path))
    while not going_on.done():
        await clock.advance(db, timedelta(seconds=1))
        await asyncio.sleep(0.05)
    await going_on
    await pulse.close()

    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[:3]) == ["paid kim", "paid lee", "paid park"]
    assert {line.removeprefix("took back from ") for line in lines[3:6]} == {"kim", "lee", "park"}
    assert lines[6] == "failed because close: the bank is closed"


async def test_the_first_machine_lapses_after_a_day_or_is_answered(db: Database):
    slice_ = load_slice(str(EXAMPLES / "first_machine" / "ticket.py"))
    parts = await start(db, slice_)
    [machine] = slice_.machines
    module = __import__("sys").modules["pabal_app_ticket"]
    async with db.transaction() as tx:
        answered, forgotten = [await module.open_ticket(tx, actor="user:1") for _ in range(2)]
    async with db.transaction() as tx:
        with pytest.raises(GuardRefused, match="no_answer"):
            async with tx.savepoint():
                await transitions.transition(tx, machine, answered, "answer", actor="user:1")
        await tx.run(module.SQL.write_answer, id=answered, answer="내일 보내 드립니다")
        await transitions.transition(tx, machine, answered, "answer", actor="user:1")

    await advance(parts, timedelta(days=2))

    async with db.transaction() as tx:
        states = {ticket.id: ticket.state for ticket in await module.load_tickets(tx, [answered, forgotten])}
        past = await transitions.history(tx, machine, forgotten)
        assert await timers.list_timers(tx, machine, forgotten) == []
    assert states == {answered: "answered", forgotten: "lapsed"}
    assert [(step.event, step.target) for step in past][-1] == ("lapse", "lapsed")


async def test_the_first_test_passes(empty_database_url: str):
    spec = importlib.util.spec_from_file_location("first_test", EXAMPLES / "first_test.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    await module.three_mornings_three_notices(empty_database_url, load_slice(str(EXAMPLES / "first_schedule.py")))


@pytest.mark.parametrize("name", ["first_job.py", "first_schedule.py", "first_machine/ticket.py", "first_test.py"])
def test_the_readme_prints_the_examples_that_run(name: str):
    assert (EXAMPLES / name).read_text(encoding="utf-8").strip() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_about_the_web_prints_the_example_app_as_it_runs():
    page = (ROOT / "docs" / "platform" / "web.md").read_text(encoding="utf-8")
    app = EXAMPLES / "lostfound"

    handed_over = (app / "__init__.py").read_text(encoding="utf-8").partition("SLICE = ")[2].strip()

    assert f"SLICE = {handed_over}\n```" in page
    for name in ("actions.py", "pages.py"):
        assert (app / name).read_text(encoding="utf-8").strip() in page


def test_the_page_about_resources_prints_the_example_as_it_runs():
    page = (ROOT / "docs" / "how-to" / "add-a-resource.md").read_text(encoding="utf-8")

    assert (EXAMPLES / "lostfound" / "resources.py").read_text(encoding="utf-8").strip() in page


class TestLostAndFound:
    """docs/examples/lostfound, on a whole server."""

    @pytest.fixture
    def web_settings(self, db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
        monkeypatch.syspath_prepend(str(EXAMPLES))
        return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="lostfound", secret_key=SECRET)

    async def test_its_page_shows_a_branch_its_own_items_only(self, web: Web):
        haeundae, gangnam = await visitor(web, "haeundae", Role.OPERATOR), await visitor(web, "gangnam")

        said = await haeundae.post("/lostfound", data={"what": "검은 우산"}, follow_redirects=True)

        assert "검은 우산" in said.text
        assert "검은 우산" not in await read(gangnam, "/lostfound")
        assert "검은 우산" in await read(await visitor(web, "busan"), "/lostfound")

    async def test_its_endpoints_do_it_once_and_find_nothing_of_others(self, web: Web):
        haeundae, gangnam = await web.as_("haeundae"), await web.as_("gangnam")
        for _ in range(2):
            made = await haeundae.post(LOSTFOUND, json={"what": "umbrella"}, headers={"Idempotency-Key": "once"})
        fetch = f"{LOSTFOUND}/{made.json()['id']}/fetch"

        answers = [await gangnam.post(fetch), await haeundae.post(fetch), await haeundae.post(fetch)]

        assert [answer.status_code for answer in answers] == [404, 200, 409]
        assert [item["state"] for item in (await haeundae.get(LOSTFOUND)).json()["items"]] == ["fetched"]
        assert (await gangnam.get(LOSTFOUND)).json()["items"] == []
        assert (await haeundae.get(LOSTFOUND, params={"colour": "black"})).json()["code"] == "unknown_parameter"

    async def test_its_commands_say_what_its_endpoints_say(self, web: Web, tmp_path: Path):
        run = Inside(tmp_path, web.db.url)
        apps = {"PABAL_APPS": "lostfound"}

        made = await run("lostfound", "hand-in", "umbrella", "--org", str(web.tree.haeundae.id), "-o", "json", **apps)
        fetched = await run("lostfound", "fetch", str(made.json["id"]), "-o", "json", **apps)
        listed = await run("lostfound", "list", "-o", "json", **apps)

        assert (made.json["what"], fetched.json["state"]) == ("umbrella", "fetched")
        assert listed.json["items"] == (await (await web.as_("hq")).get(LOSTFOUND)).json()["items"]

    async def test_a_viewer_may_only_look(self, web: Web):
        viewer = await visitor(web, "haeundae", Role.VIEWER)

        refused = await viewer.post("/lostfound", data={"what": "umbrella"})

        assert refused.status_code == 403
        assert 'name="what"' not in await read(viewer, "/lostfound")

    async def test_what_it_does_is_in_the_audit(self, web: Web):
        client = await web.as_("haeundae", Role.OPERATOR)

        await client.post(LOSTFOUND, json={"what": "umbrella"})

        async with web.db.transaction() as tx:
            [entry] = await audit.list_entries(tx, audit.Wanted(action="lostfound.*"))
        assert (entry.unit_id, entry.after) == (web.tree.haeundae.id, {"what": "umbrella"})

    async def test_its_demo_waits_for_a_person_until_it_is_cleared(self, web: Web):
        await demo.load(web.app.services, web.app.slices)
        client = await visitor(web)

        loaded = await read(client, "/")
        await demo.clear(web.app.services.database, web.app.slices, ENGINE)

        assert "검은 우산" in loaded
        assert "검은 우산" not in await read(client, "/lostfound")

    async def test_the_house_shows_its_place_in_the_menu_its_setting_and_its_rule(self, web: Web):
        client = await visitor(web)

        page = await read(client, "/settings")

        assert 'href="/lostfound"' in page
        assert "Older items wait for a person." in page
        assert "Forgotten items" in await read(client, "/alerts")

    async def test_its_rule_measures_each_unit_in_days(self, web: Web):
        await demo.load(web.app.services, web.app.slices)

        [measure] = [one for one in web.app.site.measures if one.name == "lostfound.oldest"]
        async with web.db.transaction() as tx:
            readings = await measure.read(tx)

        assert isinstance(readings, list)
        assert [round(reading.value) for reading in readings] == [8] * 6
        assert len({reading.unit_id for reading in readings}) == 6
