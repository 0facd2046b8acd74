"""Files of a run: pictures are shown, texts begin on the page, everything else is a download; strangers get none."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.rules import artifacts
from pabal.apps.rules.actions.retention import Cleaning
from pabal.apps.rules.artifacts import FoundFile, Shelf
from pabal.apps.rules.model.rules import Run
from pabal.apps.rules.running import ScriptEnd
from pabal.apps.rules.settings import KEEP_RUNS
from pabal.apps.rules.store import runs
from pabal.base import clock
from pabal.base.database import Database, DatabaseUnavailable, Tx
from pabal.base.settings import Settings
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Role
from pabal.platform.storage import store
from tests.support.rules import HOUSE, RulesWorld, make_rules
from tests.support.web import Web

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
FILES = {
    "chart.gif": ("image/gif", PIXEL),
    "fake.png": ("image/png", b"<script>alert(1)</script>"),
    "page.html": ("text/html", "<b>굵게</b>".encode()),
    "empty.txt": ("text/plain", b""),
}


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.fixture
async def run(web: Web, tmp_path: Path) -> Run:
    world: RulesWorld = await make_rules(web.db, web.tree)
    rule = await world.rule(execution_script_path="a.py", artifact_days=3)
    found = []
    for name, (media_type, content) in FILES.items():
        (tmp_path / name).write_bytes(content)
        found.append(FoundFile(name, tmp_path / name, media_type))
    kept = await Shelf(web.db, web.app.services.files).keep(rule.unit_id, found)
    world.scripts.answers = [ScriptEnd(True, None, "", artifacts=kept)]
    await world.advance(minutes=5)
    [made] = await world.runs(rule)
    return made


class Away(Database):
    """Does not answer at first."""

    failures = 2

    @asynccontextmanager
    async def transaction(self, *given: Any, **named: Any) -> AsyncIterator[Tx]:
        if self.failures:
            self.failures -= 1
            raise DatabaseUnavailable("on purpose")
        async with super().transaction(*given, **named) as tx:
            yield tx


async def test_files_of_a_script_that_has_run_wait_for_a_database_that_is_away(web: Web, tmp_path: Path):
    database = await Away.open(web.db.url)
    (tmp_path / "a.txt").write_text("그날의 기사")

    found = [FoundFile("a.txt", tmp_path / "a.txt", "text/plain")]
    [kept] = await Shelf(database, web.app.services.files).keep(web.unit("haeundae").id, found)
    await database.close()

    assert (kept["name"], database.failures) == ("a.txt", 0)


@pytest.mark.req("D-20", "D-76")
async def test_a_page_shows_files_and_gives_them_to_who_may_look(web: Web, run: Run):
    client = await web.as_("haeundae", Role.VIEWER, by="session")
    page = await client.get(f"/rules/runs/{run.id}", headers={"Accept": "text/html"})
    got = {
        one["name"]: await client.get(f"/rules/runs/{run.id}/artifacts/{one['id']}?show=inline")
        for one in run.artifacts
    }

    async with web.db.transaction() as tx:
        held_by = [await store.list_uses(tx, one["file"]) for one in run.artifacts]
    # what no run holds is swept
    assert held_by == [[run.about]] * len(FILES)
    assert all(name in page.text for name in FILES)
    assert "&lt;b&gt;굵게&lt;/b&gt;" in page.text
    assert {name: answer.content for name, answer in got.items()} == {name: of[1] for name, of in FILES.items()}
    assert got["chart.gif"].headers["content-type"] == "image/gif"
    assert got["chart.gif"].headers["content-disposition"].startswith("inline")
    for name in ("fake.png", "page.html", "empty.txt"):
        assert got[name].headers["content-disposition"].startswith("attachment"), name
        assert got[name].headers["content-type"] == "application/octet-stream"


async def make_again(web: Web, run: Run, name: str, content: bytes, folder: Path) -> Run:
    """The rule's next run makes a file of this name."""
    world: RulesWorld = await make_rules(web.db, web.tree)
    (folder / "again").write_bytes(content)
    kept = await Shelf(web.db, web.app.services.files).keep(
        run.unit_id, [FoundFile(name, folder / "again", FILES[name][0])]
    )
    world.scripts.answers = [ScriptEnd(True, None, "", artifacts=kept)]
    await world.advance(minutes=5)
    async with web.db.transaction() as tx:
        return (await runs.list_runs(tx, HOUSE, limit=1)).items[0]


async def test_a_file_is_compared_with_the_one_of_the_run_before(web: Web, run: Run, tmp_path: Path):
    client = await web.as_("haeundae", Role.VIEWER, by="session")
    changed = await make_again(web, run, "page.html", b"<b>thin</b>\n", tmp_path)
    same = await make_again(web, run, "page.html", b"<b>thin</b>\n", tmp_path)
    picture = await make_again(web, run, "chart.gif", PIXEL, tmp_path)

    shown = {
        one.id: (
            await client.get(f"/rules/runs/{one.id}", headers={"Accept": "text/html", "Accept-Language": "en"})
        ).text
        for one in (run, changed, same, picture)
    }

    assert "run before" not in shown[run.id]
    assert "Changed since the run before" in shown[changed.id]
    assert "-&lt;b&gt;굵게&lt;/b&gt;\n+&lt;b&gt;thin&lt;/b&gt;" in shown[changed.id]
    assert f"/rules/runs/{run.id}" in shown[changed.id]
    assert "The same as in the run before" in shown[same.id]
    assert "Show the difference" not in shown[same.id]
    assert "The same as in the run before" in shown[picture.id]


def test_a_difference_is_told_line_by_line_and_not_without_end():
    assert artifacts.compare("a\nb\nc", "a\nB\nc") == ("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")
    assert len(artifacts.compare("", "\n".join(map(str, range(10_000))))) == artifacts.MOST_DIFF


@pytest.mark.req("D-93", "D-96")
async def test_files_go_at_their_own_time_and_their_run_says_so(web: Web, run: Run):
    client = await web.as_("haeundae", Role.VIEWER, by="session")
    headers = {"Accept": "text/html", "Accept-Language": "en"}
    program = await web.as_("haeundae", Role.VIEWER)
    before = await program.get(f"/api/v1/rule-executions/{run.id}")
    cleaning = Cleaning(web.db)
    assert await cleaning.run_once() == 0
    nothing = await client.get("/rules/runs", headers=headers)

    await clock.advance(web.db, timedelta(days=3))
    assert await cleaning.run_once() == 1

    client = await web.as_("haeundae", Role.VIEWER, by="session")
    after = await program.get(f"/api/v1/rule-executions/{run.id}")
    page, listed = (
        await client.get(f"/rules/runs/{run.id}", headers=headers),
        await client.get("/rules/runs", headers=headers),
    )
    async with web.db.transaction() as tx:
        uses = [await store.list_uses(tx, one["file"]) for one in run.artifacts]
    assert [one["name"] for one in before.json()["artifacts"]] == list(FILES)
    assert before.json()["artifacts_until"]
    assert (after.json()["artifacts"], after.json()["artifact_path"], after.json()["artifacts_until"]) == (
        [],
        None,
        None,
    )
    assert uses == [[]] * len(FILES)
    assert f"{len(FILES)} files were deleted" in page.text
    assert "Nothing had to be deleted yet" in nothing.text
    assert f"0 runs and {len(FILES)} files" in listed.text


async def test_a_run_stays_as_long_as_its_files(web: Web, run: Run):
    async with web.db.transaction() as tx:
        await settings.change(tx, ENGINE, KEEP_RUNS, timedelta(days=1))

    await clock.advance(web.db, timedelta(days=2))
    await Cleaning(web.db).run_once()
    async with web.db.transaction() as tx:
        kept = await runs.load_runs(tx, [run.number])
    await clock.advance(web.db, timedelta(days=2))
    cleaning = Cleaning(web.db)
    await cleaning.run_once()
    await cleaning.run_once()
    async with web.db.transaction() as tx:
        gone = await runs.load_runs(tx, [run.number])

    assert (len(kept), gone) == (1, [])


async def test_who_may_not_see_the_run_gets_no_file_of_it(web: Web, run: Run):
    stranger = await web.as_("gangnam", Role.ADMIN, by="session")
    [first, *_] = run.artifacts

    answer = await stranger.get(f"/rules/runs/{run.id}/artifacts/{first['id']}")
    other = await (await web.as_("haeundae", Role.VIEWER, by="session")).get(f"/rules/runs/{run.id}/artifacts/file_1")

    assert (answer.status_code, other.status_code) == (404, 404)
