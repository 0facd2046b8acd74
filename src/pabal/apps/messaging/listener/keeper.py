"""Decides about devices on the database: what the bot server asks when one calls, answers, speaks or goes."""

from collections.abc import Callable
from typing import Any

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bot_health
from pabal.apps.messaging.errors import TooManyDevices
from pabal.apps.messaging.listener import auth, refusals
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Chat, Verdict
from pabal.apps.messaging.listener.routes import Connected, Routes, verdict
from pabal.apps.messaging.listener.seeing import Seeing
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.bots import DeviceState, network_of
from pabal.apps.messaging.store import bots, connected
from pabal.apps.messaging.store.connected import Caller, Registered, Secret
from pabal.base.clock import host_time
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.life import Life
from pabal.engine.transitions import begin
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.secrets import Vault

# Whoever reaches the port may say any name: so many may wait for a decision, not a table full of them.
MOST_PENDING = 1000

declare("bots.seen", "Devices that called for the first time")
declare("bots.unsigned", "Pongs of bots with a secret that were not signed with it", level=30)


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
            connection.tell_and_close(refusals.STOPPING)
            return Verdict(approved=False)
        worker = self._life.worker
        caller = _caller(connection)
        async with self._database.transaction() as tx:
            registered = await self._register(tx, caller, worker)
        if registered.state == DeviceState.BLOCKED:
            connection.tell_and_close(refusals.BLOCKED)
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
            if chat.signed_ms <= host_time() * 1000 + auth.WINDOW_MS:
                device.signed_ms = max(device.signed_ms, chat.signed_ms)
            self._seeing.note(device.bot_id, chat)

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
        is_approved = registered.state == DeviceState.APPROVED and not registered.is_asking
        if registered.excluded_by == ENGINE.name and is_approved:
            # It was excluded for failing, and has just begun anew.
            bot = await bots.hold_bot(tx, registered.bot_id)
            if bot is not None and bot.excluded_by == ENGINE.name:
                await bot_health.include(tx, bot, by=ENGINE.name)
        return registered

    async def _check_signature(self, device: Connected, given: dict[str, Any] | None) -> None:
        """What was signed at a moment that was seen before, or an earlier one, may be somebody's who only listened."""
        handshake = device.connection.handshake
        async with self._database.transaction() as tx:
            secret = await connected.find_secret(tx, device.device)
            if secret is None or handshake is None:
                return
            now_ms = int(tx.now.timestamp() * 1000)
            is_signed = given is not None and auth.is_about(given, handshake) and self._is_signed(given, secret, now_ms)
            moment = auth.signed_ms(given) if given is not None and is_signed else 0
            is_newer = moment > self._routes.find_newest_ms(device.device) and await connected.update_signed(
                tx, device.device, moment, network=device.network
            )
        if is_newer:
            device.signed_ms, device.signature = moment, "valid"
            device.proof = device.proven_with = secret.proof
            device.connection.trust()
        elif not is_signed or device.proven_with != secret.proof:
            device.signature = "none" if given is None else "invalid"
            emit("bots.unsigned", bot=device.bot_name, signature="replayed" if is_signed else device.signature)

    def _is_signed(self, given: dict[str, Any], secret: Secret, now_ms: int) -> bool:
        salt = "" if secret.salt is None else self._vault.open(secret.salt)
        return auth.is_signed(given, self._vault.open(secret.secret), salt, now_ms=now_ms)


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
