"""Somebody writes to the bot what shall be done; a plan comes back, a button says yes, and the report is there."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from pabal.apps.rules.plans import store
from pabal.apps.rules.plans.hearing import hear
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.model import Plan
from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.kinds import Kinds, merge
from pabal.engine.transitions import history
from pabal.engine.workflows import listing
from pabal.platform import storage
from pabal.platform.approvals import cards
from pabal.platform.notifications import Telegram, hearing, linking
from pabal.platform.notifications.polling import Poller
from pabal.platform.slice import load_slices
from pabal.testing import Parts, advance
from tests.support.planning import HOUSE, KNOWN, NEWS, PlansWorld, make_planning
from tests.support.telegram import BOT, CHAT, VAULT, Office, open_office
from tests.support.telegram_poller import make_poller

KIM = 501
# the Korean of its errors
load_slices(["pabal.apps.rules"])


@dataclass
class Desk:
    world: PlansWorld
    office: Office
    poller: Poller
    parts: Parts

    async def write(self, text: str, *, who: int = KIM, reply_to: int = 0) -> None:
        self.office.api.say(bot_id=BOT, from_id=who, chat_id=CHAT, text=text, reply_to=reply_to)
        await self._go_on()

    async def press(self, place: int, *, who: int = KIM) -> None:
        """The first button of the last card is yes, the second no."""
        card = next(one for one in reversed(self.office.api.received) if one.buttons)
        data = card.buttons[0][place][1]
        self.office.api.press(bot_id=BOT, from_id=who, chat_id=CHAT, message_id=card.message_id, data=data)
        await self._go_on()

    async def _go_on(self) -> None:
        await self.poller.poll_once()
        await advance(self.parts, timedelta(seconds=30))

    async def plans(self) -> list[Plan]:
        async with self.world.db.transaction() as tx:
            return (await store.list_plans(tx, HOUSE)).items


@pytest.fixture
async def desk(db: Database, tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_office(db, tmp_path) as office:
        world = await make_planning(db, tmp_path)
        telegram = Telegram(office.url)
        await office.add_channel(world.tree.haeundae)
        kim = await world.hire(world.tree.haeundae)
        async with db.transaction() as tx:
            code = (await linking.make_code(tx, kim)).code
            await linking.use_code(tx, code, telegram_id=KIM, chat_id=CHAT, bot_id=BOT)
        ours = world.parts
        kinds = merge([ours.kinds, office.parts.kinds, cards.add_kinds(Kinds(), telegram, VAULT, KNOWN)])
        subscribers = (*ours.subscribers, cards.make_subscriber(KNOWN))
        parts = Parts(db, kinds, machines=ours.machines, subscribers=subscribers)
        listen = partial(hearing.hear, listeners=[hear])
        poller = await make_poller(db, telegram, tmp_path, approvables=KNOWN, hear=listen)
        yield Desk(world, office, poller, parts)
        await telegram.close()


@pytest.mark.req("D-01", "D-04", "D-08", "D-44")
async def test_a_message_becomes_a_plan_a_button_lets_it_run_and_the_report_is_told(desk: Desk):
    await desk.write(NEWS)

    [plan] = await desk.plans()
    assert (plan.state, plan.door, plan.request) == ("proposed", "telegram", NEWS)
    assert any("승인하기 전에는 아무것도 실행하지 않습니다" in text for text in desk.office.texts())
    assert "3. 보고서 만들기 (rules.report)" in desk.office.texts()[-1]
    async with desk.world.db.transaction() as tx:
        assert await listing.list_workflows(tx, None, seen_by=("viewer",)) == []

    await desk.press(0)

    [plan] = await desk.plans()
    run = await desk.world.run_of(plan)
    assert (plan.state, run.state) == ("approved", "done"), run.reason
    file = (await desk.world.outputs(plan))["report"]["file"]
    async with desk.world.db.transaction() as tx:
        number = ids.read("file", file)
        kept = (await storage.find_files(tx, HOUSE, [number]))[number]
    content = await storage.read(desk.world.files, kept)
    text = b"".join([chunk async for chunk in content.chunks]).decode()
    assert text.startswith("# AI 뉴스 요약\n")
    assert "AI 관련 발표가 이어졌다" in text
    assert any(f"/api/v1/files/{file}/content" in one for one in desk.office.texts())


async def test_a_stranger_plans_nothing_and_decides_nothing(desk: Desk):
    await desk.write(NEWS, who=999)
    assert (await desk.plans(), desk.office.texts()) == ([], [])

    await desk.write(f"/plan {NEWS}")
    await desk.press(0, who=999)

    [plan] = await desk.plans()
    assert (plan.state, plan.request, plan.run_id) == ("proposed", NEWS, None)


async def test_a_no_in_telegram_is_asked_why_and_the_reply_is_its_reason(desk: Desk):
    await desk.write(f"/plan {NEWS}")
    await desk.press(1)
    [still] = await desk.plans()
    asked = desk.office.api.received[-1]

    # neither a stranger's words nor those of nobody in particular are a reason
    await desk.write("나는 반대", who=999, reply_to=asked.message_id)
    await desk.write("x" * 501, reply_to=asked.message_id)
    [unmoved] = await desk.plans()
    await desk.write("다음 주 것으로", reply_to=desk.office.api.received[-1].message_id)

    [plan] = await desk.plans()
    assert (still.state, unmoved.state, asked.wants_reply) == ("proposed", "proposed", True)
    assert NEWS in asked.text
    assert "왜 반려하나요?" in asked.text
    async with desk.world.db.transaction() as tx:
        last = (await history(tx, PLAN, plan.id))[-1]
    assert (plan.state, plan.run_id, last.reason) == ("rejected", None, "다음 주 것으로")
    assert any("⛔ 반려" in one.text and "다음 주 것으로" in one.text for one in desk.office.api.received if one.edited)


async def test_a_reply_to_what_another_bot_asked_is_no_reason(desk: Desk):
    await desk.write(f"/plan {NEWS}")
    await desk.press(1)
    other = Telegram(desk.office.url)
    await other.send_message("999:AA-simulated-token-of-another-bot", CHAT, desk.office.api.received[-1].text)
    await other.close()

    await desk.write("안 됩니다", reply_to=desk.office.api.received[-1].message_id)

    assert [plan.state for plan in await desk.plans() if plan.request == NEWS] == ["proposed"]


async def test_a_request_that_is_too_long_is_answered_with_the_reason(desk: Desk):
    await desk.write("가" * 2001)

    assert await desk.plans() == []
    assert "1~2,000자" in desk.office.texts()[-1]
