"""One thing, and what is asked of it or done to it, is answered alike by REST and by its command."""

import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import demo
from pabal.platform.web.openapi import operations_of, schema_of
from tests.cli.inside import Inside
from tests.stories.test_faces_say_the_same import NOUNS, described_commands, same
from tests.support.web import SECRET, Web

# commands that show one thing and are written by hand
SHOWN_BY_HAND = {"job": ("jobs", "show"), "ad_group": ("ad", "show")}
# what the demo has none of
EMPTY_IN_THE_DEMO = {"alert", "bulk", "bulk_send", "lane", "render_worker", "event_consumer", "dead_letter"}
# a command and its operation, tried on the first thing of the list in braces
_V1, _ADS, _MSG = "/api/v1", "/api/v1/adgroups", "/api/v1/messages"
VERBS: list[tuple[tuple[str, ...], str, str, Any]] = [
    (("schedules", "pause", "{}"), "POST", f"{_V1}/schedules/{{{_V1}/schedules}}/pause", None),
    (
        ("ad", "campaign", "edit", "{}", "--name", "가을"),
        "PATCH",
        f"{_ADS}/campaigns/{{{_ADS}/campaigns}}",
        {"name": "가을"},
    ),
    (
        ("ad", "inventory", "add", "new-1", "--name", "새 화면"),
        "POST",
        f"{_ADS}/inventory",
        {"code": "new-1", "name": "새 화면"},
    ),
    (("ad", "inventory", "set", "{}"), "PUT", f"{_ADS}/{{{_ADS}?status=DRAFT}}/inventory", {"codes": []}),
    (("msg", "schedule", "pause", "{}"), "POST", f"{_MSG}/schedules/{{{_MSG}/schedules}}/pause", None),
    (("msg", "schedule", "toggle", "{}"), "POST", f"{_MSG}/schedules/{{{_MSG}/schedules}}/toggle", None),
    (("msg", "bot", "exclude", "{}", "-m", "수리"), "POST", f"{_MSG}/bots/{{{_MSG}/bots}}/exclude", {"reason": "수리"}),
]
# what is asked of one thing, and is written by hand on both faces
ASKED_BY_HAND: list[tuple[tuple[str, ...], str]] = [
    (("ad", "explain"), f"{_ADS}/{{{_ADS}}}/explain"),
    (("ad", "history"), f"{_ADS}/{{{_ADS}}}/history"),
    (("ad", "forecast"), f"{_ADS}/{{{_ADS}}}/forecast"),
    (("ad", "creative", "list"), f"{_ADS}/{{{_ADS}}}/creatives"),
    (("ad", "inventory", "show"), f"{_ADS}/{{{_ADS}}}/inventory"),
    (("msg", "limits"), f"{_MSG}/rooms/{{{_MSG}/rooms}}/budget"),
]
# of a try: when it was, and by whom; of a new row also its number
NOW = frozenset({"at", "updated_at", "excluded_at", "excluded_by", "since", "until", "actor"})
NEW = NOW | {"id", "created_at"}


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups,pabal.apps.relay,pabal.apps.rendering,pabal.apps.rules"
    return Settings(database_url=db.url, data_dir=tmp_path / "data", port=0, bots_port=0, apps=apps, secret_key=SECRET)


@pytest.fixture
def web_is_demo() -> bool:
    return True


async def test_one_thing_is_the_same_in_rest_and_in_its_command(web: Web, tmp_path: Path):
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    paths = {one["operationId"]: path for path, _, one in operations_of(schema_of(web.site))}
    lists = {noun.operation: paths[noun.listings[0].name] for noun in NOUNS if noun.listings}
    shows = {one.noun.operation: one.path for one in described_commands() if one.row is None} | SHOWN_BY_HAND
    compared = []

    for operation, command in shows.items():
        for item in (await client.get(lists[operation])).json()["items"][:3]:
            key = str(item.get("id", item.get("name")))
            here = await client.get(re.sub(r"\{\w+\}", key, paths[f"get_{operation}"]))
            there = await run(*command, key, "-o", "json", PABAL_SECRET_KEY=SECRET)
            assert (here.status_code, there.code) == (200, 0), (command, here.text, there.err)
            assert same(there.json) == same(here.json()), command
            compared.append(operation)

    assert set(shows) - set(compared) == EMPTY_IN_THE_DEMO


async def test_what_a_verb_answers_is_the_same_in_rest_and_in_its_command(web: Web, tmp_path: Path):
    """Each is tried on both faces and taken back, so that the second finds what the first found."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)

    for command, method, path, body in VERBS:
        where = re.sub(r"\{(\S+?)\}", "{}", path)
        key = await _first(client, *re.findall(r"\{(\S+?)\}", path))
        here = await client.request(
            method, where.format(key), json=body, params={"dry_run": True}, headers={"Idempotency-Key": path}
        )
        there = await run(*(one.format(key) for one in command), "--dry-run", "-o", "json")
        assert (here.status_code // 100, there.code) == (2, 0), (command, here.text, there.err)
        without = NEW if here.status_code == 201 else NOW
        assert _tried(there.json, without) == _tried(here.json(), without), command


async def test_what_is_asked_of_one_ad_group_or_room_is_the_same(web: Web, tmp_path: Path):
    """Written by hand on both faces: the same keys, the same order."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)

    for command, path in ASKED_BY_HAND:
        one = await _first(client, re.findall(r"\{(\S+?)\}", path)[0])
        here = await client.get(re.sub(r"\{\S+?\}", one, path))
        there = await run(*command, one, "-o", "json")
        assert (here.status_code, there.code) == (200, 0), (command, here.text, there.err)
        assert _tried(there.json) == _tried(here.json()), command


async def test_the_broker_is_the_same_in_rest_and_in_its_command(web: Web, tmp_path: Path):
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)

    here, there = await client.get("/api/v1/broker"), await run("broker", "status", "-o", "json")

    assert there.json == here.json()


async def _first(client: httpx2.AsyncClient, path: str = "") -> str:
    """The id of the first thing of a list that an address in braces names."""
    if not path:
        return ""
    [item, *_] = (await client.get(path)).json()["items"]
    return str(item["id"])


def _tried(value: Any, without: frozenset[str] = NOW) -> Any:
    """Of a list what is in it: REST says beside it how to go on."""
    match value:
        case {"items": items}:
            return _tried(items, without)
        case list():
            return [_tried(one, without) for one in value]
        case dict():
            return {name: _tried(one, without) for name, one in value.items() if name not in without}
    return value
