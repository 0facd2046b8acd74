"""One conversation with a phone: handshake, pings, what it hears in its rooms, and what is sent through it."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from pabal.apps.messaging.errors import BadPacket, BotGone, HandshakeIncomplete
from pabal.apps.messaging.listener import refusals
from pabal.apps.messaging.listener.handshake import Handshake, is_handshake, read_handshake
from pabal.apps.messaging.listener.lines import Lines
from pabal.apps.messaging.listener.protocol import (
    CHATS,
    PONGS,
    Dialect,
    Room,
    Verdict,
    choose_dialect,
    read_chat,
    read_claim,
    read_echo,
    read_pong,
    show_stamp,
    write_ping,
    write_refusal,
    write_welcome,
)
from pabal.apps.messaging.listener.receipts import Receipt, Receipts
from pabal.apps.messaging.listener.refusals import Refusal
from pabal.apps.messaging.listener.strangers import FREE, LINE, Bucket, Early
from pabal.apps.messaging.listener.switchboard import Address, Switchboard
from pabal.apps.messaging.listener.wire import Packet, read_packet
from pabal.apps.messaging.model.content import media_seconds
from pabal.base.addresses import group_address
from pabal.base.telemetry import declare, emit

HANDSHAKE_SECONDS = 10.0
# For an approved phone that first sends what it heard in an outage, ten lines at a time.
LONGEST_HANDSHAKE_SECONDS = 60.0
LINE_SECONDS = 30.0
PING_SECONDS = 30.0
FIRST_PING = (1.0, 59.0)
SILENT_SECONDS = 600.0
# Lines of one connection that are heard before the others have their turn.
AT_ONCE = 32

declare("listener.connected", "Bot clients that shook hands")
declare("listener.closed", "Bot clients told to go, in good order", labels=("reason",), level=logging.DEBUG)
declare("listener.dropped", "Messages before a handshake that were too many to keep", level=logging.DEBUG)
declare("listener.unreadable", "Packets of bot clients that could not be read", level=logging.WARNING)
declare("listener.keeper_failed", "Calls about a bot client that failed", labels=("call",), level=logging.ERROR)

T = TypeVar("T")


class Connection:
    """Only one that holds its bot's route sends; the others are welcomed, pinged, heard, and told when they must go.

    It begins as a stranger, and is one until it is trusted. `source`: the address strangers are counted by.
    `is_expected`: it says it is a device that is approved, as far as this server knows.
    """

    def __init__(self, board: Switchboard) -> None:
        self._board = board
        self.lines = Lines(self._opened, self._stirred, board.now, self._was_read)
        self.source = ""
        self._early: Early
        self._bucket: Bucket
        self.handshake: Handshake | None = None
        self.verdict: Verdict | None = None
        self.epoch: int | None = None
        self.is_trusted = False
        self.is_expected = False
        self._claimed: tuple[str, str] | None = None
        self._dialect: Dialect | None = None
        self._free = FREE
        self._is_gone = False
        self._is_begun = False
        self._is_told = False
        self._is_cut = False
        self._last_word: Refusal | None = None
        self._work: asyncio.Task[None] | None = None
        self._opened_at = self._heard_at = board.now()
        self._handshake_by = self._opened_at + HANDSHAKE_SECONDS
        self._ping_at = 0.0
        self._receipts = Receipts(board.now)

    @property
    def address(self) -> Address:
        return self.lines.address

    @property
    def bot_name(self) -> str:
        return self.handshake.bot_name if self.handshake else ""

    @property
    def device_id(self) -> str:
        return self.handshake.device_id if self.handshake else ""

    @property
    def is_welcomed(self) -> bool:
        return self.verdict is not None

    @property
    def is_closed(self) -> bool:
        return self._is_gone or self.lines.is_closing

    @property
    def is_active(self) -> bool:
        """Heard within the ping timeout, or busy with media; and no phone that let the last part go unanswered."""
        is_mute = self.handshake is not None and self.handshake.identity in self._board.mute
        return not self.is_closed and not is_mute and self._board.clients.is_active(self.address)

    @property
    def holds_route(self) -> bool:
        return self.epoch is not None and not self.is_closed

    def take_route(self, epoch: int) -> bool:
        """From now on this connection sends for its bot, and no other. False: it has closed."""
        if self.handshake is None or not self.trust():
            return False
        self.epoch = epoch
        self._board.route(self, self.handshake.bot_name)
        return True

    def drop_route(self) -> None:
        self.epoch = None
        self._board.unroute(self, self.bot_name)

    def trust(self) -> bool:
        """It is approved, and proven where that is asked: it counts as a bot now. False: it has closed, or must."""
        if self.is_closed or self.is_trusted:
            return not self.is_closed
        refused = self._board.refuse(self, is_approved=True)
        if refused is not None:
            self.tell_and_close(refused)
            return False
        self.is_trusted = True
        self._board.strangers.discard(self)
        self.lines.trust()
        self._stirred()
        return True

    def distrust(self) -> None:
        if self.is_trusted and not self.is_closed:
            self.is_trusted = self.is_expected = False
            self._board.strangers.add(self)
            self.lines.distrust()

    def welcome(self, verdict: Verdict) -> None:
        """Answers the handshake; again when somebody has decided about the device meanwhile."""
        self.verdict = verdict
        self.lines.post(write_welcome(verdict))

    def ping(self) -> None:
        self._ping_at = self._board.now() + PING_SECONDS
        self.lines.post(write_ping(self.bot_name, self._receipts.stamp()))

    def turn(self) -> AbstractAsyncContextManager[None]:
        """At most one part ahead of what the phone has handled."""
        return self._receipts.turn()

    async def send_text(self, room_name: str, channel_id: str, text: str) -> Receipt:
        room = Room(room_name, channel_id)
        return await self._send_part(self._get_dialect().text(self.bot_name, room, text), 0.0)

    async def send_images(
        self, channel_id: str, room_name: str, pictures: Sequence[bytes], extension: str, media_wait: int
    ) -> Receipt:
        """All pictures in one packet. `media_wait` in ms; 0 leaves it to the phone."""
        room = Room(room_name, channel_id)
        dialect = self._get_dialect()
        packet = dialect.images(self.bot_name, room, pictures, extension=extension, media_wait=media_wait)
        return await self._send_part(packet, media_seconds([len(picture) for picture in pictures], media_wait))

    async def _send_part(self, packet: bytes, seconds: float) -> Receipt:
        """Part and ping are one write. `seconds`: how long the phone is busy with it by itself."""
        clients, began_at, moment = self._board.clients, self._board.now(), self._receipts.stamp()
        receipt = self._receipts.ask(show_stamp(moment))
        clients.push_busy(self.address, seconds)
        try:
            await self.send(packet + write_ping(self.bot_name, moment))
        except BotGone as gone:
            if not gone.began:
                self._receipts.forget(show_stamp(moment), gone)
            raise
        finally:
            # Also of one that nobody waits for any more: it goes on by itself.
            self._receipts.written(receipt, seconds)
        # The phone begins to sleep when it has all of them.
        clients.push_busy(self.address, self._board.now() - began_at)
        return receipt

    async def send(self, packet: bytes) -> None:
        """Returns when the kernel has all of it; BotGone.began tells whether any byte may have left."""
        await self.lines.send(packet, may_begin=lambda: self.holds_route)

    def tell_and_close(self, why: Refusal) -> None:
        if self.is_closed:
            return
        if why.is_routine:
            emit("listener.closed", reason=why.reason, address=str(self.address), bot=self.bot_name)
        else:
            self._board.note_refusal(self, why)
        self.lines.close_after(write_refusal(why.reason, why.text, was_welcomed=self.is_welcomed))
        self._go()
        self._stirred()

    def look(self, now: float) -> None:
        """What is due for this connection now; one step for all of them calls it every second."""
        if self.lines.closes_at is not None:
            if now >= self.lines.closes_at:
                self.lines.abort()
        elif self.handshake is None and now >= self._handshake_by:
            self.tell_and_close(self._last_word or refusals.NO_HANDSHAKE)
        elif self._last_word is not None:
            self._turn_out(self._last_word)
        elif self.lines.half_since is not None and now - self.lines.half_since >= LINE_SECONDS:
            self.tell_and_close(refusals.SLOW)
        elif self._receipts.is_overdue():
            self._receipts.end(self.address, is_overdue=True)
            self._board.mute.add((self.bot_name, self.device_id))
            self.tell_and_close(refusals.NO_RECEIPT)
        elif self.is_welcomed:
            self._look_at_pings(now)
        if not self.is_trusted and self._may_speak():
            self.lines.release()
            if self.lines.has_line:
                self._stirred()

    async def finish(self) -> None:
        """Waits for what the keeper is still told about it."""
        if self._work is not None:
            await asyncio.wait([self._work])

    def cut(self) -> None:
        """At the very end of a server: nothing is waited for any more."""
        self._is_cut = True
        self._go()
        self.lines.abort()
        if self._work is not None:
            self._work.cancel()

    def _look_at_pings(self, now: float) -> None:
        client = self._board.clients.find_client(self.address)
        busy_until = client.busy_until if client else 0.0
        if now - max(self._heard_at, busy_until) >= SILENT_SECONDS:
            self.tell_and_close(refusals.SILENT)
        elif now >= self._ping_at:
            self.ping()

    def _opened(self) -> None:
        self.source = group_address(self.address[0])
        self._early = Early(self._board.strangers, self.source)
        self._bucket = self._board.strangers.get_bucket(self.source)
        self._board.let_in(self)

    def _was_read(self, size: int) -> None:
        if not self.is_trusted:
            self._charge(size)
            if not self._may_speak():
                self.lines.hold()

    def _may_speak(self) -> bool:
        """A stranger has so many bytes to itself; then it shares what its address may say."""
        if self.is_trusted:
            return True
        return (
            not self.is_closed
            and self._last_word is None
            and (self._free > 0 or not self._bucket.is_empty(self._board.now()))
        )

    def _charge(self, size: int) -> None:
        free = min(size, max(self._free, 0))
        self._free -= free
        self._bucket.charge(size - free)

    def _stirred(self) -> None:
        if self.lines.is_lost:
            self._go()
            if self.handshake is None and self._work is None:
                # Most strangers only come and go: nobody is to be told.
                self._board.connections.discard(self)
                return
        if not self._is_cut and (self._work is None or self._work.done()):
            self._work = asyncio.get_running_loop().create_task(self._attend())

    def _go(self) -> None:
        """At once, before anybody awaits anything: a connection that has ended is found no more."""
        if self._is_gone:
            return
        self._is_gone = True
        self._receipts.end(self.address)
        self._early.take()
        self._board.strangers.discard(self)
        if self.handshake is not None:
            self._board.unseat(self, self.handshake)

    async def _attend(self) -> None:
        """Hears line after line, so that the keeper's calls for one connection never overlap; ends with the last."""
        heard = 0
        while self._may_speak() and (line := self.lines.take()) is not None:
            if not self.is_trusted:
                self._charge(max(LINE - len(line), 0))
            try:
                await self._hear(line)
            except Exception as error:  # noqa: BLE001 -- one connection's trouble, whatever it is, is not the others'
                emit("listener.keeper_failed", call="hear", bot=self.bot_name, error=repr(error))
                self.tell_and_close(refusals.BROKEN)
            heard += 1
            if heard % AT_ONCE == 0:
                await asyncio.sleep(0)
        if self.lines.is_oversized:
            self._turn_out(refusals.OVERSIZED if self.is_trusted else refusals.TOO_LONG)
        if self._is_gone:
            await self._leave()

    async def _hear(self, line: bytes) -> None:
        self._heard_at = self._board.now()
        try:
            packet = read_packet(line)
            if is_handshake(packet):
                await self._shake_hands(read_handshake(packet))
            elif self.handshake is None:
                self._keep(packet, line)
            else:
                await self._obey(packet)
        except HandshakeIncomplete as error:
            self._turn_out(refusals.incomplete(error.detail))
        except BadPacket as error:
            self._turn_out(refusals.garbage(error.detail))

    def _turn_out(self, why: Refusal) -> None:
        """For what it sent itself. A stranger may have to wait for the word, and is heard no more meanwhile."""
        if self.is_trusted or self._board.strangers.may_be_told(self.source):
            self.tell_and_close(why)
        elif not self.is_closed:
            self._last_word = why
            self.lines.hold()

    def _keep(self, packet: Packet, line: bytes) -> None:
        """As it came: what is parsed takes many times its bytes."""
        if packet.event == "":
            raise HandshakeIncomplete("botName is missing")
        if packet.event not in CHATS:
            return
        if not self._early.keep(line):
            emit("listener.dropped", address=self.source)
        self._expect(read_claim(packet))

    def _expect(self, claimed: tuple[str, str] | None) -> None:
        """An approved phone that sends what it heard in an outage: its handshake comes last, and may."""
        if claimed is None or self._claimed not in (None, claimed) or not self._board.keeper.is_approved(*claimed):
            return
        if not self.is_expected:
            self._bucket = Bucket(self._board.now())
        self._claimed, self.is_expected = claimed, True
        latest = self._opened_at + LONGEST_HANDSHAKE_SECONDS
        self._handshake_by = min(latest, self._board.now() + HANDSHAKE_SECONDS)

    async def _shake_hands(self, handshake: Handshake) -> None:
        if self.handshake is not None and self.handshake.identity != handshake.identity:
            self.tell_and_close(refusals.OTHER_IDENTITY)
            return
        is_known = self.is_trusted or self._board.keeper.is_approved(*handshake.identity)
        # Who is in already and says its name again is not weighed again.
        if self.handshake is None:
            refused = self._board.refuse(self, is_approved=is_known, name=handshake.bot_name)
            if refused is not None:
                self.tell_and_close(refused)
                return
        self.handshake, self.is_expected = handshake, is_known
        self._dialect = choose_dialect(handshake)
        verdict = await self._ask_keeper(is_known=is_known)
        if self.is_closed or verdict is None:
            self.tell_and_close(refusals.TRY_LATER)
            return
        self.verdict = verdict
        self.is_expected = is_known and verdict.approved
        if not verdict.approved or verdict.needs_proof or self.trust():
            self._seat(handshake, verdict)
            await self._hear_early()

    async def _ask_keeper(self, *, is_known: bool) -> Verdict | None:
        if is_known:
            return await self._begin()
        async with self._board.strangers.turn():
            return None if self.is_closed else await self._begin()

    async def _begin(self) -> Verdict | None:
        self._is_begun = True
        return await self._call("on_handshake", self._board.keeper.on_handshake(self))

    async def _hear_early(self) -> None:
        for line in self._early.take():
            if self.is_trusted:
                await self._obey(read_packet(line))

    def _seat(self, handshake: Handshake, verdict: Verdict) -> None:
        self._board.seat(self, handshake)
        self._ping_at = self._board.now() + random.uniform(*FIRST_PING)
        self.welcome(verdict)
        emit("listener.connected", bot=handshake.bot_name, device=handshake.short_id, approved=verdict.approved)
        if verdict.needs_proof or handshake.identity in self._board.mute:
            self.ping()

    async def _obey(self, packet: Packet) -> None:
        keeper = self._board.keeper
        if packet.event in PONGS:
            monitoring, auth = read_pong(packet)
            self._receipts.hear(read_echo(packet))
            self._board.mute.discard((self.bot_name, self.device_id))
            self._board.clients.update_ping_time(self.address, monitoring)
            await self._call("on_pong", keeper.on_pong(self, monitoring, auth))
        elif packet.event in CHATS and self.is_trusted:
            try:
                chat = read_chat(packet)
            except BadPacket as error:
                # The frame was whole, only its text was not: no reason to lose the bot.
                emit("listener.unreadable", bot=self.bot_name, error=error.detail)
                return
            await self._call("on_message", keeper.on_message(self, chat))

    async def _leave(self) -> None:
        if self._is_begun and not self._is_told:
            self._is_told = True
            await self._call("on_close", self._board.keeper.on_close(self))
        if self.lines.is_lost:
            self._board.connections.discard(self)

    async def _call(self, name: str, call: Awaitable[T]) -> T | None:
        try:
            return await call
        except Exception as error:  # noqa: BLE001 -- the database may be away; the server and its connections live on
            emit("listener.keeper_failed", call=name, bot=self.bot_name, error=repr(error))
            return None

    def _get_dialect(self) -> Dialect:
        if self._dialect is None:
            raise BotGone(f"{self.address} has not said who it is", began=False)
        return self._dialect
