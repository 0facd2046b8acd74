"""Files of a run: pictures are shown, texts begin on the page, everything else is a download; strangers get none."""

import base64
from pathlib import Path

import pytest

from pabal.apps.rules.artifacts import FoundFile, Shelf
from pabal.apps.rules.model.rules import Run
from pabal.apps.rules.running import ScriptEnd
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.rules import RulesWorld, make_rules
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
    rule = await world.rule(execution_script_path="a.py")
    found = []
    for name, (media_type, content) in FILES.items():
        (tmp_path / name).write_bytes(content)
        found.append(FoundFile(name, tmp_path / name, media_type))
    kept = await Shelf(web.db, web.app.services.files).keep(rule.unit_id, found)
    world.scripts.answers = [ScriptEnd(True, None, "", artifacts=kept)]
    await world.advance(minutes=5)
    [made] = await world.runs(rule)
    return made


@pytest.mark.req("D-20", "D-76")
async def test_a_page_shows_files_and_gives_them_to_who_may_look(web: Web, run: Run):
    client = await web.as_("haeundae", Role.VIEWER, by="session")
    page = await client.get(f"/rules/runs/{run.id}", headers={"Accept": "text/html"})
    got = {
        one["name"]: await client.get(f"/rules/runs/{run.id}/artifacts/{one['id']}?show=inline")
        for one in run.artifacts
    }

    assert all(name in page.text for name in FILES)
    assert "&lt;b&gt;굵게&lt;/b&gt;" in page.text
    assert {name: answer.content for name, answer in got.items()} == {name: of[1] for name, of in FILES.items()}
    assert got["chart.gif"].headers["content-type"] == "image/gif"
    assert got["chart.gif"].headers["content-disposition"].startswith("inline")
    for name in ("fake.png", "page.html", "empty.txt"):
        assert got[name].headers["content-disposition"].startswith("attachment"), name
        assert got[name].headers["content-type"] == "application/octet-stream"


async def test_who_may_not_see_the_run_gets_no_file_of_it(web: Web, run: Run):
    stranger = await web.as_("gangnam", Role.ADMIN, by="session")
    [first, *_] = run.artifacts

    answer = await stranger.get(f"/rules/runs/{run.id}/artifacts/{first['id']}")
    other = await (await web.as_("haeundae", Role.VIEWER, by="session")).get(f"/rules/runs/{run.id}/artifacts/file_1")

    assert (answer.status_code, other.status_code) == (404, 404)
