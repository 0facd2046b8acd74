"""The audit in the console: who changed what, in words, within one's own subtree; the same as CSV."""

import ast
import csv
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2

import pabal.platform
from pabal.base import clock
from pabal.platform import audit, auth
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import NewUser
from pabal.platform.language.actions import ACTIONS, SUBJECTS
from tests.support.pages import read
from tests.support.people import person
from tests.support.web import Web

HTML = {"Accept": "text/html"}


async def visit(web: Web, unit: str = "hq", role: Role = Role.VIEWER, lang: str = "en") -> httpx2.AsyncClient:
    return await web.as_(unit, role, by="session", **HTML, **{"Accept-Language": lang})


async def note(web: Web, unit: str, action: str, about: str = "thing:1", *, by: Actor = ENGINE, **said: Any) -> None:
    async with web.db.transaction() as tx:
        await audit.record(tx, by, action, about, unit_id=web.unit(unit).id, **said)


async def rows_of(client: httpx2.AsyncClient, path: str) -> list[dict[str, str]]:
    text = (await client.get(path)).text
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


async def test_a_change_is_told_in_words_with_before_and_after(web: Web) -> None:
    admin = person(web.unit("busan"), number=77)
    async with web.db.transaction() as tx:
        user = await auth.add_user(tx, ENGINE, NewUser("kim", "김운영", web.unit("haeundae").id, Role.VIEWER))
        await auth.edit_user(tx, admin, user.id, role=Role.OPERATOR, unit_id=web.unit("nampo").id)

    korean = await read(await visit(web, lang="ko"), f"/audit?about=user:{user.id}&action=users.edit")
    english = await read(await visit(web), f"/audit?about=user:{user.id}&action=users.edit")

    assert "사용자를 바꿈" in korean
    assert "<del>조회자</del>" in korean
    assert "<ins>운영자</ins>" in korean
    assert "changed a person" in english
    assert "<del>해운대점</del>" in english
    assert "<ins>남포점</ins>" in english
    assert f'href="/people/users/{user.id}">김운영</a>' in english
    assert "부산총판 admin" in english
    assert "user:77" in english
    assert "127.0.0.1" in english


async def test_an_action_without_words_shows_its_code(web: Web) -> None:
    await note(web, "haeundae", "kettles.descale", "kettle:7")

    page = await read(await visit(web), "/audit")

    assert "kettles.descale" in page
    assert "kettle:7" in page


async def test_a_viewer_reads_the_audit_of_their_subtree_and_of_nobody_else(web: Web) -> None:
    await note(web, "haeundae", "kettles.mine")
    await note(web, "gangnam", "kettles.theirs")
    await note(web, "busan", "kettles.above")
    client = await visit(web, "haeundae")

    page = await read(client, "/audit")
    told = {row["action"] for row in await rows_of(client, "/audit.csv")}

    assert "kettles.mine" in page
    assert "kettles.theirs" not in page
    assert "kettles.above" not in page
    assert "kettles.mine" in told
    assert not told & {"kettles.theirs", "kettles.above"}


async def test_what_no_unit_owns_is_for_the_head_office(web: Web) -> None:
    async with web.db.transaction() as tx:
        await audit.record(tx, ENGINE, "settings.change", "setting:house.only", after={"value": "7"})

    hq = await read(await visit(web), "/audit")
    branch = await read(await visit(web, "haeundae"), "/audit")

    assert 'href="/settings">setting:house.only</a>' in hq
    assert "house.only" not in branch


async def test_a_token_without_the_right_reads_nothing(web: Web) -> None:
    client = await web.as_("hq", Role.ADMIN, scopes=("jobs:read",), **HTML)

    assert (await client.get("/audit")).status_code == 403
    assert (await client.get("/audit.csv")).status_code == 403


FILTERS: dict[str, set[str]] = {
    "actor=user:77": {"kettles.fill"},
    "action=kettles.*": {"kettles.fill", "kettles.empty"},
    "about=kettle:2": {"kettles.empty"},
    "action=kettles.empty&about=kettle:1": set(),
}


async def test_page_and_export_take_the_same_filters(web: Web) -> None:
    await note(web, "haeundae", "kettles.fill", "kettle:1", by=person(web.unit("busan"), number=77))
    await note(web, "haeundae", "kettles.empty", "kettle:2")
    client = await visit(web)

    for query, found in FILTERS.items():
        page = await read(client, f"/audit?{query}")
        rows = await rows_of(client, f"/audit.csv?{query}")

        assert {name for name in ("kettles.fill", "kettles.empty") if f">{name}</a>" in page} == found, query
        assert {row["action"] for row in rows} == found, query
        assert ("Nothing matches these filters." in page) == (not found), query
        assert f"/audit.csv?{query.replace(':', '%3A').replace('*', '%2A')}" in page


async def test_days_are_the_visitors_and_both_included(web: Web) -> None:
    await note(web, "haeundae", "kettles.old")
    await clock.advance(web.db, timedelta(days=3))
    await note(web, "haeundae", "kettles.new")
    client = await visit(web)
    async with web.db.transaction() as tx:
        today = (tx.now + timedelta(hours=9)).date()

    since = await read(client, f"/audit?from={today}")
    until = await read(client, f"/audit?to={today - timedelta(days=2)}")
    both = await read(client, f"/audit?from={today}&to={today}")

    assert "kettles.new" in since
    assert "kettles.old" not in since
    assert "kettles.old" in until
    assert "kettles.new" not in until
    assert "kettles.new" in both


async def test_what_cannot_be_read_in_an_address_is_left_out(web: Web) -> None:
    await note(web, "haeundae", "kettles.fill")

    page = await read(await visit(web), "/audit?from=yesterday&to=9999-99-99&cursor=%21%21&about=%00&odd=1")

    assert "kettles.fill" in page


async def test_the_fifty_first_entry_is_on_the_next_page(web: Web) -> None:
    for n in range(51):
        await note(web, "haeundae", "kettles.fill", f"kettle:{n}")
    client = await visit(web)

    first = await read(client, "/audit?action=kettles.fill")
    onward = re.search(r'href="([^"]+)" rel="next"', first)
    assert onward is not None
    second = await read(client, onward.group(1))

    assert ">kettle:1<" in first
    assert ">kettle:0<" not in first
    assert ">kettle:0<" in second
    assert ">kettle:1<" not in second


async def test_the_export_goes_on_beyond_one_batch(web: Web) -> None:
    async with web.db.transaction() as tx:
        for n in range(1001):
            await audit.record(tx, ENGINE, "kettles.fill", f"kettle:{n}", unit_id=web.unit("haeundae").id)

    rows = await rows_of(await visit(web), "/audit.csv?action=kettles.fill")

    assert [row["about"] for row in rows] == [f"kettle:{n}" for n in reversed(range(1001))]


async def test_the_export_holds_no_formulas(web: Web) -> None:
    hostile = Actor("user:9", web.unit("haeundae").id, Role.ADMIN, label="=cmd|' /C calc'!A0", origin="@SUM(1)")
    await note(web, "haeundae", "kettles.fill", "+1+1", by=hostile, after={"name": "-2"})

    [row] = await rows_of(await visit(web), "/audit.csv?actor=user:9")

    assert row["actor_label"] == "'=cmd|' /C calc'!A0"
    assert row["origin"] == "'@SUM(1)"
    assert row["about"] == "'+1+1"
    assert row["after"] == '{"name": "-2"}'
    assert row["unit"] == "본사 › 부산총판 › 해운대점"


async def test_hostile_text_is_only_text(web: Web) -> None:
    hostile = "<script>alert(1)</script>"
    actor = Actor("user:9", web.unit("haeundae").id, Role.ADMIN, label=hostile, origin=hostile)
    await note(web, "haeundae", hostile, hostile, by=actor, before={hostile: hostile}, after={hostile: "x"})

    text = (await (await visit(web)).get("/audit")).text

    assert hostile not in text
    assert "&lt;script&gt;" in text


def test_every_action_the_platform_writes_has_words() -> None:
    written = _written_actions(Path(pabal.platform.__path__[0]))

    assert len(written) > 30
    assert written - set(ACTIONS) == set()
    assert {name.split(".")[0] for name in ACTIONS} == set(SUBJECTS)


TELEMETRY = {
    *("settings.changed", "settings.unusable", "approvals.voiced"),
    *("events.asked_again", "events.discarded", "events.paused", "events.replayed", "events.resumed"),
}


def _written_actions(root: Path) -> set[str]:
    """Texts like `users.add` in modules that write the audit; facts and telemetry have other names."""
    found: set[str] = set()
    for path in root.rglob("*.py"):
        text = path.read_text()
        if "audit.record" in text:
            texts = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
            found |= {one for one in texts if isinstance(one, str) and re.fullmatch(r"[a-z_]+\.[a-z_]+", one)}
    return {one for one in found if one.split(".")[0] in SUBJECTS} - TELEMETRY
