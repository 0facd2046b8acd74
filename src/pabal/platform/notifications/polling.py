"""Hearing what people say to our bots: one poller for each bot over all servers, by long polling.

A bot's route says which server polls it. An update is taken in one commit, fenced by the route's epoch: what it did,
and the number of the next one. A server that dies before it did nothing; one that lost its route can commit nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import routes, workers
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.engine.routes import LifeOver, Route, ServerDraining
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.notifications import linking
from pabal.platform.notifications.gateway import Answer, Refused, RetryAfter, Telegram, Unreachable, Update
from pabal.platform.secrets import Vault

SQL = load(__file__)
# Shorter than a step may take; an update ends it at once.
WAIT_SECONDS = 10
IDLE = 2.0
CONFLICT_REST = timedelta(seconds=30)
TROUBLE_REST = timedelta(seconds=10)
START = "/start"

declare("telegram.heard", "Updates taken from Telegram", labels=("what",))
declare("telegram.deaf", "Times a bot could not be listened to", labels=("why",), level=30)

Heard = list[Update] | Answer
# (tx, update, its sender's language): what to tell whoever pressed, and whether it must be confirmed
Press = Callable[[Tx, Update], Awaitable["Said"]]
# (tx, update): what to tell whoever wrote in a chat with nobody else in it
Hear = Callable[[Tx, Update], Awaitable["Said"]]

_LINKED: Pair = ("Linked. Approvals that wait for you come here.", "연결했습니다. 승인할 것이 생기면 여기로 보냅니다.")
_NO_CODE: Pair = (
    "Make a code on your account page in Pabal, then send /start CODE here.",
    "파발의 내 계정 화면에서 코드를 만든 뒤 여기에 /start 코드 를 보내세요.",
)
_BAD_CODE: Pair = (
    "This code is wrong, used or over. Make a new one on your account page.",
    "코드가 틀렸거나 이미 썼거나 시간이 지났습니다. 내 계정 화면에서 새 코드를 만드세요.",
)


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody is told: a line above the chat, or with `is_alert` a window to be closed.

    `asks`: they are asked this in the chat besides. What they reply to it is handed to `press`, with the question.
    """

    text: str
    is_alert: bool = False
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Bot:
    bot_id: int
    next_update: int
    rests_until: datetime | None
    problem: str | None
    sealed_token: str = field(repr=False)


async def hear_nothing(_tx: Tx, _update: Update) -> Said:
    return Said("")


class Poller:
    """A gateway: it holds routes for bots as others hold connections."""

    def __init__(
        self,
        database: Database,
        telegram: Telegram,
        vault: Vault,
        life: Life,
        *,
        press: Press,
        hear: Hear = hear_nothing,
        wait: int = WAIT_SECONDS,
    ) -> None:  # long: what it is made of, and what it does with what it hears
        self._database, self._telegram, self._vault, self._life = database, telegram, vault, life
        self._press, self._hear, self._wait = press, hear, wait
        self._held: dict[int, int] = {}
        self._is_refusing = False
        self._asking: asyncio.Task[Heard] | None = None
        self.loops = [Loop("telegram", self.poll_once, idle=IDLE)]

    async def start(self) -> None:
        """Nothing: a server starts also while Telegram is away."""

    def refuse_new(self) -> None:
        """Nor is the silence of a bot waited for: what nobody has confirmed is handed out again."""
        self._is_refusing = True
        if self._asking is not None:
            self._asking.cancel()

    async def close(self) -> None:
        if not self._held:
            return
        try:
            async with self._database.transaction() as tx:
                for bot_id, epoch in self._held.items():
                    await routes.release_route(tx, Route(route_of(bot_id), self._life.worker, epoch))
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            # its routes end with its life
            emit("telegram.deaf", why="goodbye", said=repr(error))
        self._held.clear()

    async def poll_once(self) -> int:
        """Each bot that is ours or nobody's is asked once; answers how many updates were taken."""
        if self._is_refusing or self._life.is_draining or not self._life.worker:
            return 0
        async with self._database.transaction() as tx:
            bots = [
                bot for bot in await tx.all(Bot, SQL.list_bots) if bot.rests_until is None or bot.rests_until <= tx.now
            ]
            mine = [bot for bot in bots if await self._is_mine(tx, bot.bot_id)]
        # with several bots none waits for the silence of another
        wait = self._wait if len(mine) == 1 else min(self._wait, 1)
        return sum([await self._poll(bot, wait) for bot in mine])

    async def _is_mine(self, tx: Tx, bot_id: int) -> bool:
        found = await routes.find_route(tx, route_of(bot_id))
        if found is None:
            try:
                found = await routes.hold_route(tx, route_of(bot_id), worker=self._life.worker)
            except (LifeOver, ServerDraining):
                return False
            self._held[bot_id] = found.epoch
        is_mine = found.worker == self._life.worker and self._held.get(bot_id) == found.epoch
        if not is_mine:
            self._held.pop(bot_id, None)
        return is_mine

    async def _poll(self, bot: Bot, wait: int) -> int:
        token = self._vault.open(bot.sealed_token)
        heard = await self._listen(token, bot, wait)
        if heard is None:
            return 0
        if not isinstance(heard, list):
            await self._rest(bot, heard)
            return 0
        if bot.problem is not None:
            async with self._database.transaction() as tx:
                await tx.run(SQL.forget_problem, bot_id=bot.bot_id)
        kill_point("telegram.heard")
        taken = 0
        for update in sorted(heard, key=lambda one: one.update_id):
            said = await self._take(bot, update)
            if said is None:
                break
            taken += 1
            if update.callback_id:
                await self._telegram.answer_callback(token, update.callback_id, said.text, is_alert=said.is_alert)
            elif said.text:
                await self._telegram.send_message(token, update.chat_id, said.text)
            if said.asks:
                await self._telegram.ask(token, update, said.asks)
        return taken

    async def _listen(self, token: str, bot: Bot, wait: int) -> Heard | None:
        """None: this server is about to stop."""
        if self._is_refusing:
            return None
        self._asking = asyncio.create_task(self._telegram.get_updates(token, offset=bot.next_update, wait=wait))
        try:
            await asyncio.wait([self._asking])
        finally:
            self._asking.cancel()
        return None if self._asking.cancelled() else self._asking.result()

    async def _take(self, bot: Bot, update: Update) -> Said | None:
        """In one commit. None: this server polls the bot no more."""
        async with self._database.transaction() as tx:
            is_ours = await workers.hold_life(tx, self._life.worker) and await tx.value(
                SQL.hold_place, route=route_of(bot.bot_id), epoch=self._held.get(bot.bot_id, 0), bot_id=bot.bot_id
            )
            if not is_ours:
                self._held.pop(bot.bot_id, None)
                return None
            is_new = await tx.run(SQL.advance, bot_id=bot.bot_id, update_id=update.update_id)
            # handed out again, because nobody had said that it was taken
            said = await self._answer(tx, bot, update) if is_new else Said("")
            kill_point("telegram.applied")
        kill_point("telegram.committed")
        emit("telegram.heard", what="button" if update.callback_id else "text", bot=bot.bot_id)
        return said

    async def _answer(self, tx: Tx, bot: Bot, update: Update) -> Said:
        # who replies to what a bot asked is heard in groups, too
        if update.callback_id or (update.question and update.asked_by == bot.bot_id):
            return await self._press(tx, update)
        word, _, code = update.text.strip().partition(" ")
        # in a group anybody could read it
        if update.chat_kind != "private":
            return Said("")
        if word.partition("@")[0] != START:
            return await self._hear(tx, update)
        if not code.strip():
            return Said(_both(_NO_CODE))
        user = await linking.use_code(tx, code, telegram_id=update.from_id, chat_id=update.chat_id, bot_id=bot.bot_id)
        if user is None:
            return Said(_both(_BAD_CODE))
        lang: Lang = "en" if user.language == "en" else "ko"
        return Said(put(lang, _LINKED))

    async def _rest(self, bot: Bot, answer: object) -> None:
        match answer:
            case RetryAfter(wait):
                rest, why = wait, "429"
            case Refused(code, description):
                rest, why = CONFLICT_REST, f"{code} {description}"
            case Unreachable(reason):
                rest, why = TROUBLE_REST, reason
            case _:
                rest, why = TROUBLE_REST, "unknown"
        emit("telegram.deaf", why=why.partition(" ")[0], bot=bot.bot_id, said=why)
        async with self._database.transaction() as tx:
            await tx.run(SQL.rest, bot_id=bot.bot_id, until=tx.now + rest, problem=why[:300])


async def find_problem(tx: Tx, bot_id: int) -> str | None:
    """Why nobody could listen to it lately."""
    found: str | None = await tx.value(SQL.find_problem, bot_id=bot_id)
    return found


def route_of(bot_id: int) -> str:
    return f"telegram:{bot_id}"


def _both(pair: Pair) -> str:
    """To somebody whose language nobody knows."""
    return f"{pair[1]}\n{pair[0]}"
