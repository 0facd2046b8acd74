"""Decides about devices on the database: what the bot server asks when one calls, answers, speaks or goes."""

from collections.abc import Callable
from typing import Any

from pabal.apps.messaging.actions import bot_health
from pabal.apps.messaging.errors import TooManyDevices
from pabal.apps.messaging.listener import auth, refusals
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Chat, Verdict
from pabal.apps.messaging.listener.routes import Connected, Routes, verdict
from pabal.apps.messaging.listener.seeing import Seeing
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.bots import DeviceState
from pabal.apps.messaging.store import bots, connected
from pabal.apps.messaging.store.connected import Caller, Registered, Secret
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.life import Life
from pabal.engine.transitions import begin
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
        async with self._database.transaction() as tx:
            registered = await self._register(tx, connection, worker)
        if registered.state == DeviceState.BLOCKED:
            connection.tell_and_close(refusals.BLOCKED)
            return Verdict(approved=False)
        # Nothing awaits from here to the welcome, so that nothing is sent before it.
        if self._routes.find(connection) is None:
            self._routes.add(Connected(connection, registered, worker=worker))
        return verdict(registered.state, registered.proof)

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
            self._seeing.note(device.bot_id, chat)

    async def on_close(self, connection: Connection) -> None:
        await self._routes.remove(connection)

    async def _register(self, tx: Tx, connection: Connection, worker: int) -> Registered:
        registered = await connected.register(tx, _caller(connection), worker=worker or None)
        if registered.is_new:
            if await connected.count_pending(tx, most=MOST_PENDING + 1) > MOST_PENDING:
                raise TooManyDevices(connection.bot_name)
            await begin(tx, DEVICE, [registered.device], actor=ENGINE.name)
            emit("bots.seen", bot=connection.bot_name, device=connection.handshake and connection.handshake.short_id)
        if registered.excluded_by == ENGINE.name and registered.state == DeviceState.APPROVED:
            # It was excluded for failing, and has just begun anew.
            bot = await bots.hold_bot(tx, registered.bot_id)
            if bot is not None and bot.excluded_by == ENGINE.name:
                await bot_health.include(tx, bot, by=ENGINE.name)
        return registered

    async def _check_signature(self, device: Connected, given: dict[str, Any] | None) -> None:
        handshake = device.connection.handshake
        async with self._database.transaction() as tx:
            secret = await connected.find_secret(tx, device.device)
        if secret is None or handshake is None:
            return
        now_ms = int(tx.now.timestamp() * 1000)
        is_valid = given is not None and auth.is_about(given, handshake) and self._is_signed(given, secret, now_ms)
        device.signature = "valid" if is_valid else "none" if given is None else "invalid"
        if is_valid:
            device.proof = device.proven_with = secret.proof
        else:
            emit("bots.unsigned", bot=device.bot_name, signature=device.signature)

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
    )
