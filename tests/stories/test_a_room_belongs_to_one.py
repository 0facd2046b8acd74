"""Two branches share a bot, and the bot finds a room by its name: no text of one arrives in a room of the other."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import ids
from tests.apps.messaging.api.house import V1, House, build, v1_body
from tests.stories.test_a_schedule_becomes_a_sent_message import MINUTE, be_roomy, has, phone, serving
from tests.support.botline import set_value
from tests.support.messaging import add_room
from tests.support.servers import until
from tests.support.web import SECRET, Web, open_web

# Haeundae's, as the bot calls it
NAME = "busan1 손님방"


@dataclass(frozen=True)
class Shared:
    """Haeundae's bot is in a room of Gangnam's too, so that Gangnam may use it."""

    web: Web
    house: House
    bot: SimulatedBot
    other_room: int
    theirs: httpx2.AsyncClient
    stranger: httpx2.AsyncClient
    hq: httpx2.AsyncClient

    def new_room(self, **changed: Any) -> dict[str, Any]:
        unit_id = self.web.tree.gangnam.id
        return {"channel_id": "999", "name": NAME, "bot_id": self.house.bot_id, "unit_id": unit_id, **changed}

    async def send(self, client: httpx2.AsyncClient, room_id: int, text: str) -> str:
        """Scheduled and sent now; answers the schedule's address, or nothing when it is refused."""
        made = await client.post(f"{V1}/schedules", json=await v1_body(self.house, room_id=room_id, text=text))
        if made.status_code != 201:
            return ""
        sent = await client.post(f"{made.headers['Location']}/send-now", headers={"Idempotency-Key": uuid4().hex})
        assert sent.status_code == 202, sent.text
        return made.headers["Location"]

    def texts(self) -> list[tuple[str, str]]:
        return [(one.room, one.text) for one in self.bot.received]


@pytest.fixture
async def shared(db: Database, tmp_path: Path) -> AsyncIterator[Shared]:
    settings = Settings(database_url=db.url, data_dir=tmp_path, port=0, secret_key=SECRET)
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(open_web(db, settings))
        await be_roomy(db)
        await set_value(db, own.MIN_GAP_SECONDS, 0)
        house = await build(web)
        other = await add_room(db, web.tree.gangnam, "18300001", "강남 손님방", bots=[house.bot_id])
        server = await stack.enter_async_context(serving(db, tmp_path))
        bot = await stack.enter_async_context(phone("busan1", server))
        await bot.until(lambda each: each.is_approved)
        clients = [await web.as_(unit) for unit in ("haeundae", "gangnam", "hq")]
        yield Shared(web, house, bot, other, *clients)


async def test_a_branch_cannot_send_into_another_branchs_room_by_adding_a_room_of_its_name(shared: Shared) -> None:
    added = await shared.stranger.post(f"{V1}/rooms", json=shared.new_room())
    await shared.send(shared.stranger, added.json().get("id", 0), "거짓 공지")
    await shared.send(shared.stranger, shared.other_room, "강남 공지")
    await until(has(1, shared.web.db))
    await shared.send(shared.theirs, shared.house.room_id, "해운대 공지")
    await shared.bot.until(lambda each: "해운대 공지" in [one.text for one in each.received])

    assert shared.texts() == [("강남 손님방", "강남 공지"), (NAME, "해운대 공지")]
    assert (added.status_code, added.json()["code"]) == (409, "room_name_taken")
    assert NAME not in added.text
    assert "해운대" not in added.text


async def test_texts_to_two_rooms_of_one_name_are_held_with_the_reason_until_one_is_decided_on(shared: Shared) -> None:
    db, house = shared.web.db, shared.house
    shared.bot.say(NAME, "18399999", "김손님", "안녕하세요")

    async def discovered() -> bool:
        items = (await shared.hq.get(f"{V1}/rooms?unclaimed=true")).json()["items"]
        return [one["channel_id"] for one in items] == ["18399999"]

    await until(discovered)
    [found] = (await shared.hq.get(f"{V1}/rooms?unclaimed=true")).json()["items"]
    claim, unit = f"{V1}/rooms/{found['id']}/claim", {"unit_id": shared.web.tree.gangnam.id}
    warned = await shared.hq.post(claim, json=unit)
    claimed = await shared.hq.post(claim, json={**unit, "confirm": True})

    addresses = [
        await shared.send(shared.theirs, house.room_id, "해운대 공지"),
        await shared.send(shared.stranger, found["id"], "강남 공지"),
    ]

    async def is_held() -> bool:
        open_ones = (await shared.hq.get(f"{V1}/deliveries?state=open")).json()["items"]
        return [(one["place"], one["deferred_by"]) for one in open_ones] == [("held", "room_name_shared")] * 2

    await until(is_held)
    assert (warned.status_code, warned.json()["code"]) == (409, "room_name_repeated")
    assert [one["id"] for one in warned.json()["rooms"]] == [house.room_id]
    assert claimed.status_code == 200, claimed.text
    assert shared.texts() == []
    await told_why(shared, addresses)

    mine = f"{V1}/rooms/{found['id']}/bots/{house.bot_id}"
    not_alone = await shared.stranger.delete(mine)
    asked = await shared.hq.delete(mine)
    decided = await shared.hq.delete(mine, params={"confirm": "true"})
    await clock.advance(db, MINUTE)
    await shared.bot.until(lambda each: bool(each.received))

    assert (not_alone.status_code, not_alone.json()["code"]) == (409, "room_name_taken")
    # what Gangnam sends by it depends on it
    assert (asked.status_code, asked.json()["code"]) == (409, "schedules_depend")
    assert (decided.status_code, decided.json()["bots"]) == (200, [])
    assert shared.texts() == [(NAME, "해운대 공지")]


async def told_why(shared: Shared, schedules: list[str]) -> None:
    """On the room's page, the schedule's, in the log and in why, without a word about whose the other room is."""
    pages = [await shared.web.as_(unit, by="session") for unit in ("haeundae", "gangnam")]
    for page, client, schedule in zip(pages, (shared.theirs, shared.stranger), schedules, strict=True):
        [sent] = (await client.get(f"{V1}/deliveries?state=open")).json()["items"]
        job = (await client.get(f"/api/v1/why/{sent['job']}")).text
        shown = [
            (await page.get(f"/messages/rooms/{sent['room_id']}")).text,
            (await page.get(schedule.replace("/api/v1", ""))).text,
            (await page.get("/messages/deliveries")).text,
            (await page.get(f"/messages/deliveries/{ids.read('dlv', sent['id'])}")).text,
            sent["why"],
        ]
        for one in shown:
            assert "another unit" in one, one
        assert "room name shared with another room" in job
        room = (await client.get(f"{V1}/rooms/{sent['room_id']}")).json()
        assert [each["is_held"] for each in room["bots"]] == [True]
    for page in pages[1:]:
        for address in ("/messages/rooms", "/messages/deliveries"):
            assert "18200001" not in (await page.get(address)).text
