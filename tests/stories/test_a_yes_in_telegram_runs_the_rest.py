"""A rule asks in Telegram; whoever presses the button lets the rest run, once, and Telegram tells how it went."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.rules.approvals import APPROVABLES
from pabal.apps.rules.artifacts import Shelf
from pabal.apps.rules.model.rules import Rule, RuleRunState, Trigger
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.running import RepositoryScripts
from pabal.base.database import Database
from pabal.engine.kinds import Kinds, merge
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.approvals import cards
from pabal.platform.auth import NewUser
from pabal.platform.notifications import Telegram, linking
from pabal.platform.notifications.polling import Poller
from pabal.testing import Parts, advance, drain
from tests.support.rule_scripts import Repository
from tests.support.rules import RulesWorld, make_rules
from tests.support.telegram import BOT, CHAT, VAULT, Office, open_office
from tests.support.telegram_poller import make_poller

KNOWN = {one.kind.name: one for one in APPROVABLES}
KIM = 501
ORDER = (
    'context.artifact("order.txt", f"{payload[\'kilos\']} kg")\nreturn {"message": f"{payload[\'kilos\']} kg ordered"}'
)
TELL = [{"type": "telegram", "config": {"template": "{rule_name}: {message}"}}]


@dataclass
class Desk:
    world: RulesWorld
    office: Office
    poller: Poller
    parts: Parts
    order: Rule
    asking: Rule

    def last_card(self) -> tuple[int, str]:
        """The message with buttons, and what its first one says when it is pressed."""
        message = next(one for one in reversed(self.office.api.received) if one.buttons)
        return message.message_id, message.buttons[0][0][1]

    async def press(self, data: str, message_id: int, *, who: int = KIM) -> None:
        self.office.api.press(bot_id=BOT, from_id=who, chat_id=CHAT, message_id=message_id, data=data)
        await self.poller.poll_once()
        await drain(self.parts)


@pytest.fixture
async def desk(db: Database, tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_office(db, tmp_path) as office:
        world, repository = await make_rules(db), Repository(tmp_path / "scripts")
        repository.commit_body(ORDER, name="order")
        shelf = Shelf(db, office.files)
        scripts = RepositoryScripts(repository.folder, tmp_path / "cache", shelf, ScriptCeiling())
        world.scripts = scripts  # type: ignore[assignment]  # the real one of the seam
        telegram = Telegram(office.url)
        await office.add_channel(world.tree.haeundae)
        async with db.transaction() as tx:
            kim = await auth.add_user(tx, ENGINE, NewUser("kim", "kim", world.tree.haeundae.id, Role.OPERATOR))
            code = (await linking.make_code(tx, kim.actor())).code
            await linking.use_code(tx, code, telegram_id=KIM, chat_id=CHAT, bot_id=BOT)
        ours = world.parts
        kinds = merge([ours.kinds, office.parts.kinds, cards.add_kinds(Kinds(), telegram, VAULT, KNOWN)])
        subscribers = (*ours.subscribers, cards.make_subscriber(KNOWN))
        parts = Parts(db, kinds, machines=ours.machines, subscribers=subscribers)
        order = await world.rule(
            "발주", schedule="0 0 1 1 *", execution_script_path="order.py", payload={"kilos": 20}, on_success=TELL
        )
        asks = {"template": "원두가 {price} USD입니다. 발주할까요?", "then": str(order.id)}
        asking = await world.rule("시세", on_success=[{"type": "approval", "config": asks}])
        poller = await make_poller(db, telegram, tmp_path, approvables=KNOWN)
        yield Desk(world, office, poller, parts, order, asking)
        await telegram.close()


@pytest.mark.req("D-07", "D-34")
async def test_pressing_approve_in_telegram_runs_what_waits_for_it_and_tells_how_it_went(desk: Desk):
    await advance(desk.parts, timedelta(minutes=5))
    message_id, yes = desk.last_card()
    assert "원두가 512.5 USD입니다. 발주할까요?" in desk.office.texts()[-1]
    assert await desk.world.runs(desk.order) == []

    await desk.press(yes, message_id)
    await desk.press(yes, message_id)

    [run] = await desk.world.runs(desk.order)
    assert (run.state, run.trigger, run.log_summary) == (RuleRunState.SUCCESS, Trigger.MANUAL, "20 kg ordered")
    assert [one["name"] for one in run.artifacts] == ["order.txt"]
    assert any("발주: 20 kg ordered" in text for text in desk.office.texts())
    card = next(one for one in desk.office.api.received if one.message_id == message_id)
    assert "✅" in card.text
    assert card.buttons == ()


async def test_a_no_runs_nothing_and_a_stranger_decides_nothing(desk: Desk):
    await advance(desk.parts, timedelta(minutes=5))
    message_id, yes = desk.last_card()

    await desk.press(yes, message_id, who=999)
    await desk.press(f"{yes[:-1]}n", message_id)
    await desk.press(yes, message_id)

    assert await desk.world.runs(desk.order) == []
