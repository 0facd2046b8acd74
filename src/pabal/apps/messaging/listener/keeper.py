"""Decides about devices on the database: what the bot server asks when one calls, answers, speaks or goes."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.bots import include_bot
from pabal.apps.messaging.asking import ask_devices
from pabal.apps.messaging.errors import TooManyDevices
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.handshake import WINDOW_MS, is_about, is_signed, signed_ms
from pabal.apps.messaging.listener.protocol import JOINER, Chat, Verdict
from pabal.apps.messaging.listener.refusals import BLOCKED, STOPPING
from pabal.apps.messaging.listener.routes import Connected, Routes, verdict
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.bots import DeviceState, network_of
from pabal.apps.messaging.store import bots, connected, rooms, sending
from pabal.apps.messaging.store.connected import Caller, Registered, Secret
from pabal.apps.messaging.store.rooms import Sighting
from pabal.apps.messaging.store.sending import Echo
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.engine.life import Life
from pabal.engine.transitions import begin
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.secrets import Vault

# Whoever reaches the port may say any name: so many may wait for a decision, not a table full of them.
MOST_PENDING = 1000

declare("bots.seen", "Devices that called for the first time")
declare("bots.unsigned", "Pongs of bots with a secret that were not signed with it", level=30)


class Seeing:
    def __init__(self, database: Database) -> None:
        self._database = database
        # (bot, channel) -> the name it has for it, and when that was written
        self._known: OrderedDict[tuple[int, str], tuple[str, float]] = OrderedDict()
        self._sightings: dict[tuple[int, str], str] = {}
        self._counts: dict[str, int] = {}
        self._logged: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._own: dict[Echo, None] = {}

    def note(self, bot_id: int, chat: Chat) -> None:
        """Costs no look at the database."""
        channel, name = chat.channel_id, chat.room[:NAME_LENGTH].strip()
        if not name or not 1 <= len(channel) <= CHANNEL_LENGTH:
            return
        if len(self._counts) >= MOST_GATHERED and channel not in self._counts:
            emit("rooms.overrun", bot=bot_id)
            return
        known_as, written_at = self._known.get((bot_id, channel), ("", 0.0))
        if known_as != name or elapsed() - written_at > FRESH_SECONDS:
            self._sightings[bot_id, channel] = name
        if self._is_first(bot_id, chat):
            self._counts[channel] = self._counts.get(channel, 0) + 1

    def note_own(self, bot_id: int, chat: Chat) -> None:
        """A bot heard itself: what it was sent is in the room."""
        if len(self._own) < MOST_GATHERED:
            self._own[Echo(bot_id, chat.channel_id, chat.text.removeprefix(JOINER))] = None

    async def write_once(self) -> int:
        """The step of the loop `messaging.seen`; answers whether there was more than one step writes."""
        is_more = len(self._sightings) > SLICE or len(self._counts) > SLICE
        await self._write_sightings()
        await self._write_counts()
        await self._write_own()
        return int(is_more)

    def _is_first(self, bot_id: int, chat: Chat) -> bool:
        """Two bots in a room hear the same message: it was said once."""
        if not chat.log_id:
            return True
        heard_by = self._logged.setdefault((chat.channel_id, chat.log_id), bot_id)
        _forget_oldest(self._logged)
        return heard_by == bot_id

    async def _write_sightings(self) -> None:
        taken = dict(list(self._sightings.items())[:SLICE])
        if not taken:
            return
        seen = [Sighting(channel, bot_id, name) for (bot_id, channel), name in taken.items()]
        async with self._database.transaction() as tx:
            await self._tell(tx, await rooms.note_seen(tx, seen))
        for key, name in taken.items():
            self._known[key] = (name, elapsed())
            self._known.move_to_end(key)
            if self._sightings.get(key) == name:
                del self._sightings[key]
        _forget_oldest(self._known)

    async def _write_counts(self) -> None:
        taken = dict(list(self._counts.items())[:SLICE])
        if not taken:
            return
        async with self._database.transaction() as tx:
            there = await rooms.count_messages(tx, taken)
        for channel, number in taken.items():
            left = self._counts[channel] - number
            if left:
                self._counts[channel] = left
            else:
                del self._counts[channel]
        self._forget_missing(set(taken) - there)

    async def _write_own(self) -> None:
        taken = list(self._own)[:SLICE]
        if not taken:
            return
        async with self._database.transaction() as tx:
            await sending.note_seen(tx, taken, since=tx.now - SEEN_WITHIN)
        for one in taken:
            del self._own[one]

    def _forget_missing(self, channels: set[str]) -> None:
        """Somebody deleted their rooms: the next message discovers them anew."""
        for key in [key for key in self._known if channels and key[1] in channels]:
            del self._known[key]

    async def _tell(self, tx: Tx, found: list[rooms.Found]) -> None:
        for room in found:
            said = {"name": room.name, "channel_id": room.channel_id}
            await facts.record(tx, "messaging.room_seen", f"room:{room.room_id}", said)
        if found:
            emit("rooms.seen", count=len(found))


class DatabaseKeeper:
    def __init__(  # long: what it decides by, and whom it tells
        self,
        database: Database,
        vault: Vault,
        life: Life,
        *,
        routes: Routes,
        seeing: Seeing,
        is_approved: Callable[[str, str], bool],
    ) -> None:
        self.is_approved = is_approved
        self._database = database
        self._vault = vault
        self._life = life
        self._routes = routes
        self._seeing = seeing

    async def on_handshake(self, connection: Connection) -> Verdict:
        if self._life.is_draining:
            connection.tell_and_close(STOPPING)
            return Verdict(approved=False)
        worker = self._life.worker
        caller = _caller(connection)
        async with self._database.transaction() as tx:
            registered = await self._register(tx, caller, worker)
        if registered.state == DeviceState.BLOCKED:
            connection.tell_and_close(BLOCKED)
            return Verdict(approved=False)
        # Nothing awaits from here to the welcome, so that nothing is sent before it.
        if self._routes.find(connection) is None:
            self._routes.add(Connected(connection, registered, worker=worker, network=caller.network))
        return verdict(registered.state, registered.proof, is_asking=registered.is_asking)

    async def on_pong(self, connection: Connection, monitoring: dict[str, Any], auth: dict[str, Any] | None) -> None:
        """Only a pong that changes something costs a look at the database."""
        device = self._routes.find(connection)
        if device is None:
            return
        if device.proof is not None:
            await self._check_signature(device, auth)
        if device.is_trusted and not device.holds_route:
            self._routes.wake()

    async def on_message(self, connection: Connection, chat: Chat) -> None:
        device = self._routes.find(connection)
        if device is not None and device.is_trusted:
            if chat.signed_ms <= host_time() * 1000 + WINDOW_MS:
                device.signed_ms = max(device.signed_ms, chat.signed_ms)
            self._seeing.note(device.bot_id, chat)
            if chat.sender == device.bot_name and chat.text:
                self._seeing.note_own(device.bot_id, chat)

    async def on_close(self, connection: Connection) -> None:
        await self._routes.remove(connection)

    async def _register(self, tx: Tx, caller: Caller, worker: int) -> Registered:
        asks_at_new = await settings.value(tx, own.ASK_AT_NEW_ADDRESS)
        registered = await connected.register(tx, caller, worker=worker or None, asks_at_new=asks_at_new)
        if registered.is_new:
            if await connected.count_pending(tx, most=MOST_PENDING + 1) > MOST_PENDING:
                raise TooManyDevices(caller.bot_name)
            await begin(tx, DEVICE, [registered.device], actor=ENGINE.name)
            emit("bots.seen", bot=caller.bot_name, device=f"{caller.device_id[:4]}…")
        elif registered.is_asking or registered.state == DeviceState.PENDING:
            await ask_devices(tx, [registered.device])
        is_approved = registered.state == DeviceState.APPROVED and not registered.is_asking
        if registered.excluded_by == ENGINE.name and is_approved:
            # It was excluded for failing, and has just begun anew.
            bot = await bots.hold_bot(tx, registered.bot_id)
            if bot is not None and bot.excluded_by == ENGINE.name:
                await include_bot(tx, bot, by=ENGINE.name)
        return registered

    async def _check_signature(self, device: Connected, given: dict[str, Any] | None) -> None:
        """What was signed at a moment that was seen before, or an earlier one, may be somebody's who only listened."""
        handshake = device.connection.handshake
        secret = await self._find_secret(device)
        if secret is None or handshake is None:
            return
        is_signed = given is not None and is_about(given, handshake) and self._is_signed(given, secret)
        moment = signed_ms(given) if given is not None and is_signed else 0
        is_newer = moment > self._routes.find_newest_ms(device.device)
        if is_newer and device.proven_with != secret.proof:
            # The first of a connection: another server may have seen it. Those that follow are written with the pings.
            is_newer = await self._note_signed(device, moment)
        if is_newer:
            device.signed_ms, device.signature = moment, "valid"
            device.proof = device.proven_with = secret.proof
            device.connection.trust()
        elif not is_signed or device.proven_with != secret.proof:
            device.signature = "none" if given is None else "invalid"
            emit("bots.unsigned", bot=device.bot_name, signature="replayed" if is_signed else device.signature)

    async def _find_secret(self, device: Connected) -> Secret | None:
        """Kept with its connection until it changes: a pong comes behind every part, and must cost nothing."""
        if device.secret is None or device.secret.proof != device.proof:
            async with self._database.transaction() as tx:
                device.secret = await connected.find_secret(tx, device.device)
        return device.secret

    async def _note_signed(self, device: Connected, moment: int) -> bool:
        async with self._database.transaction() as tx:
            return await connected.update_signed(tx, device.device, moment, network=device.network)

    def _is_signed(self, given: dict[str, Any], secret: Secret) -> bool:
        """By the machine's clock, which phones sign by too."""
        salt = "" if secret.salt is None else self._vault.open(secret.salt)
        return is_signed(given, self._vault.open(secret.secret), salt, now_ms=int(host_time() * 1000))


def _caller(connection: Connection) -> Caller:
    handshake = connection.handshake
    if handshake is None:
        raise ValueError("a connection calls with its handshake")
    return Caller(
        bot_name=handshake.bot_name,
        device_id=handshake.device_id,
        version=handshake.version,
        client_type=handshake.client_type,
        info=handshake.device_info,
        address=f"{connection.address[0]}:{connection.address[1]}",
        network=network_of(connection.address[0]),
    )


# A room and a bot that were written so lately are not written again, unless the name has changed.
FRESH_SECONDS = 60.0
# What a bot hears itself say later than this is something else.
SEEN_WITHIN = timedelta(minutes=10)
REMEMBERED = 20_000
# One step writes no more than this; a phone that makes up rooms cannot make one statement endless.
SLICE = 500
MOST_GATHERED = 10_000
NAME_LENGTH, CHANNEL_LENGTH = 200, 100

declare("rooms.seen", "Rooms discovered from messages", amount="count")
declare("rooms.overrun", "Messages not counted: too many rooms at once", level=30)


def _forget_oldest(kept: OrderedDict[tuple[str, str], int] | OrderedDict[tuple[int, str], tuple[str, float]]) -> None:
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
