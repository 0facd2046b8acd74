"""Heartbeats in the console: who sees what, and what the forms do."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.rules.heartbeats import store
from pabal.apps.rules.heartbeats.model import ReportKind
from pabal.platform.actor import Role
from tests.apps.rules.heartbeats.test_actions import HOUSE, look, make, send
from tests.support.people import person
from tests.support.web import Web

FORM = {
    "name": "정산 작업",
    "schedule": "cron",
    "cron": "0 3 * * *",
    "every": "",
    "zone": "Asia/Seoul",
    "grace": "30m",
    "unit_id": "",
}


@pytest.mark.parametrize(("lang", "words"), [("en", ("Heartbeats", "down")), ("ko", ("하트비트", "중단"))])
async def test_the_list_shows_each_with_its_state(web: Web, lang: str, words: tuple[str, ...]):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    await send(web.db, heartbeat, ReportKind.FAIL)
    client = await web.as_("haeundae", Role.VIEWER, by="session", **{"Accept-Language": lang})

    page = await client.get("/rules/heartbeats")

    assert page.status_code == 200
    assert all(word in page.text for word in (*words, "야간 백업"))
    assert "새 하트비트" not in page.text


@pytest.mark.parametrize(("lang", "words"), [("en", "after each report"), ("ko", "마지막 보고부터")])
async def test_one_without_a_clock_is_expected_so_long_after_its_last_report(web: Web, lang: str, words: str):
    heartbeat = await make(web.db, person(web.tree.haeundae), cron=None, every=timedelta(hours=24))
    client = await web.as_("haeundae", Role.VIEWER, by="session", **{"Accept-Language": lang})

    pages = [await client.get(path) for path in ("/rules/heartbeats", f"/rules/heartbeats/{heartbeat.id}")]

    assert all(words in page.text for page in pages)


async def test_one_shows_its_reports_and_only_to_those_who_may_change_it_its_address(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    await send(web.db, heartbeat, ReportKind.FAIL, body="<b>disk full</b>", exit_code=4)
    here = f"/rules/heartbeats/{heartbeat.id}"

    looks = await (await web.as_("haeundae", Role.VIEWER, by="session")).get(here)
    writes = await (await web.as_("haeundae", Role.OPERATOR, by="session")).get(here)

    assert "&lt;b&gt;disk full" in looks.text
    assert "exit code 4" in " ".join(looks.text.split())
    assert str(heartbeat.key) not in looks.text
    assert f"{web.url}{heartbeat.path}" in writes.text


async def test_another_branch_finds_nothing(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    client = await web.as_("gangnam", Role.ADMIN, by="session")
    here = f"/rules/heartbeats/{heartbeat.id}"

    assert (await client.get(here)).status_code == 404
    assert (await client.post(f"{here}/pause")).status_code == 404
    assert "야간 백업" not in (await client.get("/rules/heartbeats")).text


async def test_the_form_makes_one(web: Web):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    assert (await client.get("/rules/heartbeats/new")).status_code == 200
    made = await client.post("/rules/heartbeats/new", data=FORM)

    assert made.status_code == 303
    async with web.db.transaction() as tx:
        [one] = (await store.list_heartbeats(tx, HOUSE)).items
    assert (one.name, one.cron, one.grace_seconds, one.unit_id) == (
        "정산 작업",
        "0 3 * * *",
        1800,
        web.tree.haeundae.id,
    )
    assert made.headers["location"].startswith(f"/rules/heartbeats/{one.id}")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": ""}, "name"),
        ({"cron": "whenever"}, "cron"),
        ({"zone": "Asia/Nowhere"}, "zone"),
        ({"schedule": "every", "every": "soon"}, "every"),
        ({"grace": "0s"}, "grace"),
    ],
)
async def test_the_form_says_what_is_wrong_beside_its_field(web: Web, given: dict[str, Any], field: str):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    page = await client.post("/rules/heartbeats/new", data={**FORM, **given})

    assert page.status_code == 422
    assert f'id="{field}-err"' in page.text


async def test_it_is_edited_paused_resumed_moved_and_removed(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    here = f"/rules/heartbeats/{heartbeat.id}"

    assert "60m" in (await client.get(f"{here}/edit")).text or "1h" in (await client.get(f"{here}/edit")).text
    assert (await client.post(f"{here}/edit", data={**FORM, "name": "새 이름"})).status_code == 303
    edited = await look(web.db, heartbeat)
    await client.post(f"{here}/pause")
    paused = await look(web.db, heartbeat)
    await client.post(f"{here}/resume")
    await client.post(f"{here}/new-address")
    moved = await look(web.db, heartbeat)
    removed = await client.post(f"{here}/delete")

    assert (edited.name, edited.cron, paused.state, moved.state) == ("새 이름", "0 3 * * *", "paused", "new")
    assert moved.key != heartbeat.key
    assert (removed.status_code, (await client.get(here)).status_code) == (303, 404)
