"""People answer in Telegram: linked once, by long polling, each press one effect, and an old button tells the truth."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event
from pabal.base.database import Database
from pabal.engine import facts, routes, transitions
from pabal.engine.kinds import Kinds, merge
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.approvals import cards
from pabal.platform.auth import NewUser, User
from pabal.platform.notifications import Telegram, linking, make_kinds, polling
from pabal.platform.notifications.gateway import Refused
from pabal.platform.notifications.polling import Poller, Said, route_of
from pabal.platform.notifications.simulator import Kind, Received, Simulator, Trouble
from pabal.platform.storage import Files
from pabal.platform.tenants import Unit
from pabal.testing import Parts
from tests.platform.approvals.asked import all_of, last, open_ready
from tests.support.people import Tree, person, plant
from tests.support.telegram import BOT, TOKEN, VAULT, Office
from tests.support.telegram_poller import KNOWN, make_poller

GROUP = "-1009"
KIM, LEE, STRANGER = 501, 502, 503


@dataclass
class House:
    """An organisation with a bot in a group, and a server that polls it."""

    office: Office
    telegram: Telegram
    tree: Tree
    cards: facts.Subscriber
    poller: Poller

    @property
    def db(self) -> Database:
        return self.office.db

    async def add_person(self, unit: Unit, role: Role, login: str) -> User:
        async with self.db.transaction() as tx:
            return await auth.add_user(tx, ENGINE, NewUser(login, login, unit.id, role))

    async def link(self, user: User, telegram_id: int, *, chat: str = "") -> str:
        async with self.db.transaction() as tx:
            code = (await linking.make_code(tx, user.actor())).code
        self.office.api.say(bot_id=BOT, from_id=telegram_id, chat_id=chat or str(telegram_id), text=f"/start {code}")
        await self.poller.poll_once()
        return code

    async def tell(self) -> None:
        while await facts.deliver_once(self.db, self.cards):
            pass
        await self.office.run(over=timedelta(seconds=30))

    def card(self, chat: str) -> Received:
        """The last message with buttons, or what became of it."""
        return [one for one in self.office.api.received if one.chat_id == chat and (one.buttons or one.edited)][-1]

    async def press(self, telegram_id: int, card: Received, *, no: bool = False, chat: str = "") -> str:
        """Answers what the presser was told."""
        [row] = card.buttons
        self.office.api.press(
            bot_id=BOT, from_id=telegram_id, chat_id=chat or card.chat_id, message_id=card.message_id, data=row[no][1]
        )
        before = len(self.office.api.answers)
        await self.poller.poll_once()
        [answer] = self.office.api.answers[before:]
        return str(answer["text"])


@pytest.fixture
async def house(db: Database, tmp_path: Path) -> AsyncIterator[House]:
    async with Simulator() as simulator:
        telegram = Telegram(simulator.url)
        files = Files(tmp_path / "files")
        kinds = merge([make_kinds(telegram, VAULT, files), cards.add_kinds(Kinds(), telegram, VAULT, KNOWN)])
        office = Office(db, simulator.api, simulator.url, files, Parts(db, kinds))
        tree = await plant(db)
        await office.add_channel(tree.haeundae, chat=GROUP, lang="en")
        made = House(office, telegram, tree, cards.make_subscriber(KNOWN), await make_poller(db, telegram, tmp_path))
        # from now on
        await facts.deliver_once(db, made.cards)
        yield made
        await telegram.close()


async def state_of(db: Database, group: int) -> tuple[str, str]:
    """And who brought it there."""
    async with db.transaction() as tx:
        told = await transitions.history(tx, AD_GROUP, group)
    return told[-1].target, told[-1].actor


async def ask(house: House) -> int:
    group = await open_ready(house.db, person(house.tree.haeundae, number=90))
    await house.tell()
    return group


@pytest.mark.req("D-07", "D-34")
async def test_a_press_of_approve_runs_what_follows_and_the_card_becomes_its_outcome(house: House):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    await house.link(kim, KIM)
    asked = await ask(house)
    own, group = house.card(str(KIM)), house.card(GROUP)

    told = await house.press(KIM, own)
    await house.tell()

    # what the press is about went on by the app's own action
    assert await state_of(house.db, asked) == ("approved", f"user:{kim.id}")

    [done] = await all_of(house.db, "approved")
    assert (done.decided_by, len(own.buttons[0]), len(group.buttons[0])) == (f"user:{kim.id}", 2, 2)
    assert max(len(data.encode()) for _, data in own.buttons[0]) <= 64
    assert "승인 · kim" in told
    assert [(house.card(chat).buttons, house.card(chat).edited) for chat in (str(KIM), GROUP)] == [((), 1), ((), 1)]
    assert "approved by kim" in house.card(GROUP).text


async def test_an_old_button_answers_with_who_decided_and_changes_nothing(house: House):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    await house.link(kim, KIM)
    group = await ask(house)
    old = house.card(GROUP)
    async with house.db.transaction() as tx:
        await events.send(tx, person(house.tree.haeundae, number=90), group, Event.REJECT, reason="기간이 틀림")

    told = await house.press(KIM, old)

    [done] = await all_of(house.db, "rejected")
    assert done.decided_by == "user:90"
    assert "먼저 결정했습니다" in told
    assert "기간이 틀림" in told


@pytest.mark.req("D-34")
async def test_who_is_not_linked_put_out_without_the_right_or_elsewhere_is_refused_in_groups_too(house: House):
    lee = await house.add_person(house.tree.haeundae, Role.ADMIN, "lee")
    await house.link(lee, LEE)
    viewer = await house.add_person(house.tree.haeundae, Role.OPERATOR, "viewer")
    await house.link(viewer, 504)
    other = await house.add_person(house.tree.nampo, Role.ADMIN, "other")
    await house.link(other, 505)
    await ask(house)
    card = house.card(GROUP)
    async with house.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, lee.id)

    told = [await house.press(who, card) for who in (STRANGER, LEE, 504, 505)]

    assert "연결되지 않은" in told[0]
    assert "연결되지 않은" in told[1]
    assert "권한" in told[2]
    assert "그런 승인 요청이 없거나" in told[3]
    assert (await last(house.db)).state == "open"
    # nor did they get a card of their own
    assert [one for one in house.office.api.received if one.chat_id in ("504", "505") and one.buttons] == []


async def test_a_code_works_once_in_a_private_chat_and_for_a_quarter_of_an_hour(house: House):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    code = await house.link(kim, KIM)

    def say(telegram_id: int, text: str, chat: str = "") -> None:
        house.office.api.say(bot_id=BOT, from_id=telegram_id, chat_id=chat or str(telegram_id), text=text)

    say(STRANGER, f"/start {code}")
    async with house.db.transaction() as tx:
        fresh = (await linking.make_code(tx, kim.actor())).code
    say(STRANGER, f"/start {fresh}", GROUP)
    await house.poller.poll_once()
    await house.office.run(over=timedelta(minutes=16))
    say(STRANGER, f"/start {fresh}")
    await house.poller.poll_once()

    async with house.db.transaction() as tx:
        assert await linking.find_person(tx, STRANGER) is None
        found = await linking.find_person(tx, KIM)
    assert found is not None
    assert found.id == kim.id
    assert house.office.texts(GROUP) == []
    assert ["코드가 틀렸거나" in text for text in house.office.texts(str(STRANGER))] == [True, True]


@pytest.mark.req("D-34")
async def test_an_update_that_is_handed_out_twice_is_taken_once(house: House):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    async with house.db.transaction() as tx:
        code = (await linking.make_code(tx, kim.actor())).code
    house.office.api.say(bot_id=BOT, from_id=KIM, chat_id=str(KIM), text=f"/start {code}")
    waiting = house.office.api.updates[BOT]
    waiting.append(dict(waiting[-1]))

    await house.poller.poll_once()

    [told] = house.office.texts(str(KIM))
    assert "코드가 틀렸거나" not in told


async def test_one_server_polls_a_bot_and_another_takes_over_when_it_let_go(house: House, tmp_path: Path):
    second = await make_poller(house.db, house.telegram, tmp_path)
    await house.poller.poll_once()
    polls = house.office.api.polls

    await second.poll_once()
    await house.poller.close()
    await second.poll_once()

    async with house.db.transaction() as tx:
        held = await routes.find_route(tx, route_of(BOT))
    assert house.office.api.polls == polls + 1
    assert held is not None
    assert held.worker == second._life.worker


async def test_a_server_that_lost_its_bot_commits_nothing_and_the_press_counts_once(house: House, tmp_path: Path):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    await house.link(kim, KIM)
    await ask(house)
    card = house.card(str(KIM))
    async with house.db.transaction() as tx:
        # another server takes the bot between the poll and the commit
        taken = await routes.hold_route(tx, route_of(BOT), worker=house.poller._life.worker)
    [row] = card.buttons
    house.office.api.press(bot_id=BOT, from_id=KIM, chat_id=str(KIM), message_id=card.message_id, data=row[0][1])
    house.poller._held[BOT] = taken.epoch - 1

    heard = await house.telegram.get_updates(TOKEN, offset=0, wait=0)
    assert isinstance(heard, list)
    async with house.db.transaction() as tx:
        [bot] = await tx.all(polling.Bot, polling.SQL.list_bots)
    lost = await house.poller._take(bot, heard[-1])
    house.poller._held[BOT] = taken.epoch
    first, again = await house.poller._take(bot, heard[-1]), await house.poller._take(bot, heard[-1])

    assert lost is None
    assert first is not None
    assert (again, len(await all_of(house.db, "approved"))) == (Said(""), 1)


async def test_a_wait_that_telegram_asks_for_and_another_poller_are_honoured(house: House):
    house.office.api.troubles["getUpdates"] = Trouble(Kind.TOO_MANY, retry_after=40)
    await house.poller.poll_once()
    polls = house.office.api.polls

    await house.poller.poll_once()
    rested = house.office.api.polls
    await house.office.run(over=timedelta(seconds=41))
    await house.poller.poll_once()

    assert (rested, house.office.api.polls) == (polls, polls + 1)
    long = asyncio.create_task(house.telegram.get_updates(TOKEN, offset=10**6, wait=20))
    while not house.office.api._polling:
        await asyncio.sleep(0)
    await house.telegram.get_updates(TOKEN, offset=10**6, wait=0)
    answer = await long
    assert isinstance(answer, Refused)
    assert answer.code == 409


async def test_a_bot_that_another_program_listens_to_is_left_alone_and_its_cards_have_no_buttons(house: House):
    kim = await house.add_person(house.tree.haeundae, Role.ADMIN, "kim")
    await house.link(kim, KIM)
    polls = house.office.api.polls

    await house.office.add_channel(house.tree.busan, chat="-1010", is_two_way=False)
    await house.poller.poll_once()
    await ask(house)

    assert house.office.api.polls == polls
    cards = [one for one in house.office.api.received if one.chat_id in (GROUP, "-1010", str(KIM))][-3:]
    assert [one.buttons for one in cards] == [()] * 3
    assert house.office.texts(GROUP)


async def test_only_bots_are_listened_to_and_no_other_channel_s_secret_is_shown_to_telegram(house: House):
    for form in ({"kind": "webhook", "address": "https://example.com/hook"}, {"kind": "email", "address": "a@b.kr"}):
        await house.office.add_channel(house.tree.haeundae, name=form["kind"], chat="", token=None, **form)
    polls = house.office.api.polls

    await house.poller.poll_once()

    assert house.office.api.polls == polls + 1
    async with house.db.transaction() as tx:
        assert [bot.bot_id for bot in await tx.all(polling.Bot, polling.SQL.list_bots)] == [BOT]


async def test_why_nobody_is_heard_is_known_until_somebody_is(house: House):
    async def problem() -> str | None:
        async with house.db.transaction() as tx:
            return await polling.find_problem(tx, BOT)

    house.office.api.troubles["getUpdates"] = Trouble(Kind.BAD_REQUEST)
    await house.poller.poll_once()
    deaf = await problem()
    house.office.api.troubles.clear()
    await house.office.run(over=timedelta(seconds=31))
    await house.poller.poll_once()

    assert ((deaf or "")[:3], await problem()) == ("400", None)


async def test_a_card_that_was_decided_before_it_went_out_is_not_sent(house: House):
    group = await open_ready(house.db, person(house.tree.haeundae, number=90))
    while await facts.deliver_once(house.db, house.cards):
        pass
    async with house.db.transaction() as tx:
        await events.send(tx, person(house.tree.haeundae, number=90), group, Event.APPROVE)

    await house.tell()

    assert house.office.texts(GROUP) == []


async def test_a_server_that_stops_waits_for_no_silent_bot(house: House, tmp_path: Path):
    poller = await make_poller(house.db, house.telegram, tmp_path, wait=600)
    listening = asyncio.create_task(poller.poll_once())
    while not house.office.api._polling:
        await asyncio.sleep(0)

    poller.refuse_new()

    async with asyncio.timeout(30):
        assert await listening == 0
    house.office.api.say(bot_id=BOT, from_id=KIM, chat_id=str(KIM), text="/start")
    assert await house.telegram.get_updates(TOKEN, offset=0, wait=0) != [], "nobody has taken it"
