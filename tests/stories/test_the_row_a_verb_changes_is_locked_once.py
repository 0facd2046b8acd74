"""The row a verb changes is locked once, by its action. An edge locks it before only to compare it with If-Match."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.base.sql import Statement
from tests.apps.adgroups.api.house import V1 as ADS
from tests.apps.adgroups.api.house import House as AdHouse
from tests.apps.adgroups.api.house import build as build_ads
from tests.apps.messaging.api.house import KB, House, kb_body
from tests.apps.messaging.api.house import V1 as MESSAGES
from tests.apps.messaging.api.house import build as build_messages
from tests.support.web import SECRET, Web

LOCKING = re.compile(r"\bfor (no key )?update\b")
# of the engine: a transition locks its subject for callers that hold nothing. A row that is held already lets it pass.
ENGINE = {"lock_subjects", "lock_plain"}
Send = Callable[[httpx2.AsyncClient, str], Awaitable[httpx2.Response]]


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps=apps, secret_key=SECRET)


def post(path: str, **body: Any) -> Send:
    return lambda client, one: client.post(f"{one}{path}", json=body)


OF_AD_GROUPS: dict[str, tuple[tuple[str, ...], Send]] = {
    "edit": ((), lambda client, one: client.patch(one, json={"name": "가을"})),
    "delete": ((), lambda client, one: client.delete(one)),
    "add a creative": ((), post("/creatives", name="b", url="https://cdn.example.com/b.png")),
    "set inventory": ((), lambda client, one: client.put(f"{one}/inventory", json={"codes": []})),
    "send an event": ((), post("/events", event="COMPLETE_SETUP")),
    "fire": (("COMPLETE_SETUP", "APPROVE"), lambda client, one: client.post(delayed(one, "EXPIRE/fire"))),
    "move": (
        ("COMPLETE_SETUP", "APPROVE"),
        lambda client, one: client.post(delayed(one, "START/move"), json={"to": "2026-11-18T12:00:00Z"}),
    ),
    "cancel": (("COMPLETE_SETUP", "APPROVE"), lambda client, one: client.post(delayed(one, "START/cancel"))),
}
OF_SCHEDULES: dict[str, Send] = {
    "pause": post("/pause"),
    "skip": post("/skip"),
    "edit": lambda client, one: client.patch(one, json={"title": "저녁"}),
    "delete": lambda client, one: client.delete(one),
}


def delayed(one: str, rest: str) -> str:
    return f"{ADS}/delayed-events/{one.rpartition('/')[2]}/{rest}"


@pytest.mark.parametrize("verb", OF_AD_GROUPS)
async def test_an_ad_group(web: Web, verb: str):
    house: AdHouse = await build_ads(web)
    events, send = OF_AD_GROUPS[verb]
    one = await house.make(*events)

    with locks_of("pabal.ad_group") as taken:
        answer = await send(house.admin, one)

    # refused or done, it was asked for once; a start that is not due refuses after it was locked
    assert answer.status_code in ((409,) if verb == "fire" else (200, 201, 204)), answer.text
    assert taken == ["lock_ad_group"]


async def test_a_campaign(web: Web):
    house: AdHouse = await build_ads(web)

    with locks_of("pabal.campaign") as taken:
        answer = await house.admin.patch(f"{ADS}/campaigns/{house.campaign}", json={"name": "가을"})

    assert (answer.status_code, taken) == (200, ["lock_campaign"])


@pytest.mark.parametrize("verb", OF_SCHEDULES)
async def test_a_schedule(web: Web, verb: str):
    house: House = await build_messages(web)
    client = await web.as_("haeundae")
    made = (await client.post(KB, json=await kb_body(house))).json()

    with locks_of("pabal.message_schedule") as taken:
        answer = await OF_SCHEDULES[verb](client, f"{MESSAGES}/schedules/{made['id']}")

    assert answer.status_code in (200, 204), answer.text
    assert taken == ["lock_schedule"]


@pytest.mark.parametrize("verb", ["put", "toggle", "delete"])
async def test_a_schedule_by_the_paths_of_the_old_system(web: Web, verb: str):
    house: House = await build_messages(web)
    client = await web.as_("haeundae")
    made = await client.post(KB, json=await kb_body(house))
    one = f"{KB}/{made.json()['id']}"
    body = await kb_body(house, title="저녁 공지")
    sends: dict[str, Send] = {
        "put": lambda client, one: client.put(one, json=body),
        "toggle": post("/toggle"),
        "delete": lambda client, one: client.delete(one),
    }

    with locks_of("pabal.message_schedule") as taken:
        answer = await sends[verb](client, one)

    assert answer.status_code in (200, 204), answer.text
    assert taken == ["lock_schedule"]


async def test_who_names_a_version_has_it_locked_before_it_is_compared(web: Web):
    house: AdHouse = await build_ads(web)
    one = await house.make()
    tag = (await house.admin.get(one)).headers["ETag"]

    with locks_of("pabal.ad_group") as taken:
        late = await house.admin.delete(one, headers={"If-Match": '"other"'})
        done = await house.admin.delete(one, headers={"If-Match": tag})

    assert (late.status_code, done.status_code) == (412, 204)
    assert taken == ["lock_ad_group"] * 3


@contextmanager
def locks_of(table: str) -> Iterator[list[str]]:
    """The statements sent meanwhile, by whichever connection, that lock rows of a table: every statement asks for its
    arguments when it is sent."""
    taken: list[str] = []
    asked = Statement.arguments

    def note(statement: Statement, given: dict[str, Any]) -> list[Any]:
        if LOCKING.search(statement.text) and f"{table} " in statement.text and statement.name not in ENGINE:
            taken.append(statement.name)
        return asked(statement, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Statement, "arguments", note)
        yield taken
