"""Which connection sends for its bot: one step compares what should be with what is, and mends the difference."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.listener import refusals
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.refusals import Refusal
from pabal.apps.messaging.model.bots import ABOUT, DeviceState, route_of
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Registered, Secret, Seen
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts, routes
from pabal.engine.life import Life
from pabal.engine.routes import LifeOver, Route, ServerDraining
from pabal.platform import settings
from pabal.platform.services import Connections

# Holds at once, of a pool that others need too.
SIDE_BY_SIDE = 4

declare("bots.connected", "Bots whose route this server took")
declare("bots.reserve", "Phones told that another of their bot sends")
declare("bots.disconnected", "Bots whose route this server let go", labels=("reason",))

_numbers = count(1)


class Connected:
    """A device that is connected here, and what is known of it. `epoch`: of the route it held last.

    `signed_ms`: the newest signed moment that came on this connection since it was proven. `secret`: as it was last
    looked up. `is_reserve`: another phone of its bot sends, and it was told so.
    """

    def __init__(self, connection: Connection, registered: Registered, *, worker: int, network: str = "") -> None:
        self.connection = connection
        self.bot_id = registered.bot_id
        self.bot_name = connection.bot_name
        self.device = registered.device
        self.unit_id = registered.unit_id
        self.route = route_of(connection.bot_name)
        self.state = registered.state
        self.proof = registered.proof
        self.network = network
        self.is_asking = registered.is_asking
        self.worker = worker
        self.number = next(_numbers)
        self.proven_with: str | None = None
        self.signature = "none"
        self.signed_ms = 0
        self.secret: Secret | None = None
        self.epoch: int | None = None
        self.is_chosen = self.is_reserve = False

    @property
    def is_approved(self) -> bool:
        return self.state == DeviceState.APPROVED and not self.is_asking

    @property
    def is_trusted(self) -> bool:
        """Approved, and proven where the bot has a secret."""
        return self.is_approved and self.proof in (None, self.proven_with)

    @property
    def holds_route(self) -> bool:
        return self.connection.holds_route


class Wish(Enum):
    NOTHING = auto()
    HOLD = auto()
    RELEASE = auto()


@dataclass(frozen=True, slots=True)
class Now:
    """What was so at one moment. `elsewhere`: devices that are connected to other servers by now; `busy`: routes on
    which something of this life runs, asked while it drains."""

    worker: int
    is_draining: bool
    asks_at_new: bool
    seen: dict[int, Seen]
    routes: dict[str, Route]
    elsewhere: set[int]
    busy: set[str]


class Routes:
    """`wake` is the loop's: called whenever something may have changed."""

    def __init__(self, database: Database, connections: Connections, life: Life) -> None:
        self._database = database
        self._connections = connections
        self._life = life
        self._devices: dict[Connection, Connected] = {}
        self._turn = asyncio.Lock()
        self.wake: Callable[[], None] = lambda: None
        life.on_lapse.append(self._lapse)
        life.on_drain.append(lambda _is_draining: self.wake())

    @property
    def devices(self) -> list[Connected]:
        """Oldest first."""
        return sorted(self._devices.values(), key=lambda device: device.number)

    def find(self, connection: Connection) -> Connected | None:
        return self._devices.get(connection)

    def find_newest_ms(self, device: int) -> int:
        """The newest moment a device signed, of all its connections here; what was written is not in it."""
        return max((each.signed_ms for each in self._devices.values() if each.device == device), default=0)

    def add(self, device: Connected) -> None:
        self._devices[device.connection] = device
        # For one that nobody approved nothing is to be done.
        if device.is_trusted:
            self.wake()

    async def remove(self, connection: Connection) -> None:
        """It has ended. If the database is away, what it held is found by the next step, or goes with this life."""
        device = self._devices.pop(connection, None)
        if device is None:
            return
        self._unplug(device)
        is_here = device.is_asking or any(other.device == device.device for other in self._devices.values())
        async with self._database.transaction() as tx:
            if device.epoch is not None:
                await self._release(tx, device, Route(device.route, device.worker, device.epoch), "closed")
            if not is_here:
                await connected.update_gone(tx, device.device, worker=device.worker)
        if any(other.route == device.route for other in self._devices.values()):
            self.wake()

    async def run_once(self) -> int:
        """The step of the loop `messaging.routes`. One at a time: each decides by what the one before left."""
        async with self._turn:
            worker, devices = self._life.worker, self.devices
            if worker == 0:
                return 0
            now = await self._look(worker, devices)
            await self._move(now, devices)
            asking = [device for device in devices if device.is_asking]
            wishes = [(device, self._decide(device, now)) for device in devices if not device.connection.is_closed]
            await self._settle_in([device for device in asking if not device.is_asking], worker)
            for device, wish in wishes:
                if wish is Wish.RELEASE:
                    await self._let_go(device, now.routes[device.route])
            await self._let_orphans_go(now, devices)
            await self._take([device for device, wish in wishes if wish is Wish.HOLD], worker)
        return 0

    async def _look(self, worker: int, devices: list[Connected]) -> Now:
        names, is_draining = {device.route for device in devices}, self._life.is_draining
        async with self._database.transaction() as tx:
            asks_at_new = await settings.value(tx, own.ASK_AT_NEW_ADDRESS)
            seen = await connected.list_seen(tx, {device.device for device in devices})
            held = await connected.list_routes(tx, names, worker=worker)
            busy = await connected.list_busy(tx, names, worker=worker) if is_draining else set()
        lives = {device.device: (None, device.worker, worker) for device in devices}
        elsewhere = {each.id for each in seen.values() if each.worker not in lives[each.id]}
        return Now(worker, is_draining, asks_at_new, seen, held, elsewhere, busy)

    async def _move(self, now: Now, devices: list[Connected]) -> None:
        """After a lapse the same connections go on under a new life."""
        lives = {seen.id: seen.worker for seen in now.seen.values() if seen.id not in now.elsewhere}
        here = [device for device in devices if not device.is_asking]
        moved = [device for device in here if lives.get(device.device, now.worker) != now.worker]
        if moved:
            async with self._database.transaction() as tx:
                await connected.update_moved(tx, [device.device for device in moved], worker=now.worker)
            for device in moved:
                device.worker = now.worker

    async def _settle_in(self, admitted: list[Connected], worker: int) -> None:
        """Somebody approved them where they are: from now on their rows are about these connections."""
        if admitted:
            async with self._database.transaction() as tx:
                await connected.update_moved(tx, [device.device for device in admitted], worker=worker)
            for device in admitted:
                device.worker = worker

    def _decide(self, device: Connected, now: Now) -> Wish:
        """Closes those that must go; of the others it answers what is to be done about the route."""
        seen, held = now.seen.get(device.device), now.routes.get(device.route)
        is_ours = held is not None and held.epoch == device.epoch
        is_held = held is not None and is_ours and held.worker == now.worker and device.holds_route
        farewell = self._farewell(device, now)
        if farewell is not None:
            self._unplug(device)
            device.connection.tell_and_close(farewell)
        if farewell is not None or seen is None:
            return Wish.RELEASE if is_ours else Wish.NOTHING
        _learn(device, seen, asks_at_new=now.asks_at_new)
        if not device.is_trusted:
            device.connection.distrust()
        if (
            not device.is_trusted
            or not device.connection.trust()
            or seen.is_excluded
            or not device.connection.is_active
        ):
            self._unplug(device)
            return Wish.RELEASE if is_ours else Wish.NOTHING
        if now.is_draining or is_held:
            return Wish.NOTHING
        # A newcomer takes the bot; whoever had it before stays, until nobody has it or somebody says so.
        if held is None or is_ours or device.epoch is None or device.is_chosen:
            return Wish.HOLD
        self._stand_by(device)
        return Wish.NOTHING

    def _farewell(self, device: Connected, now: Now) -> Refusal | None:
        seen, held = now.seen.get(device.device), now.routes.get(device.route)
        if seen is None:
            return refusals.TRY_LATER
        if seen.state == DeviceState.BLOCKED:
            return refusals.BLOCKED
        # Epochs only grow: a later one is somebody's who came after us.
        is_taken = device.epoch is not None and held is not None and held.epoch > device.epoch
        is_elsewhere = device.device in now.elsewhere and not device.is_asking
        # Where a proof is asked for, a stranger who only says he is this device drives nobody out.
        if is_elsewhere and (seen.proof is None or is_taken):
            return refusals.MOVED
        if now.is_draining and device.route not in now.busy:
            return refusals.STOPPING
        return None

    async def _take(self, devices: Iterable[Connected], worker: int) -> None:
        # Oldest first, so that of several devices of one bot the newest remains, or the one somebody chose.
        newest = {device.route: device for device in sorted(devices, key=lambda device: device.is_chosen)}
        turns = asyncio.Semaphore(SIDE_BY_SIDE)

        async def take(device: Connected) -> None:
            async with turns:
                await self._hold(device, worker)

        done = await asyncio.gather(*map(take, newest.values()), return_exceptions=True)
        for problem in done:
            if isinstance(problem, BaseException) and not isinstance(problem, LifeOver | ServerDraining):
                raise problem

    async def _hold(self, device: Connected, worker: int) -> None:
        others = [other for other in self.devices if other.route == device.route and other is not device]
        # Whoever held it here sends nothing from now on: it must not be found under the new epoch.
        for other in others:
            self._unplug(other)
        async with self._database.transaction() as tx:
            held = await routes.hold_route(tx, device.route, worker=worker)
            await connected.update_holder(tx, device.bot_id, device.device)
            await _record(tx, device, "connected", {"worker": worker})
        device.epoch = held.epoch
        if worker != self._life.worker or not device.connection.take_route(held.epoch):
            await self._let_go(device, held)
            return
        self._connections.put(device.route, device.connection)
        emit("bots.connected", bot=device.bot_name, worker=worker, epoch=held.epoch)
        if device.is_reserve:
            device.is_reserve = False
            device.connection.welcome(SENDS)
        for other in others:
            if other.device != device.device:
                self._stand_by(other)
            elif other.is_trusted:
                other.connection.tell_and_close(refusals.REPLACED)

    def _stand_by(self, device: Connected) -> None:
        """Another phone of its bot sends: this one stays connected, and is told so once."""
        self._unplug(device)
        if device.is_trusted and not device.is_reserve and not device.connection.is_closed:
            device.is_reserve = True
            device.connection.welcome(RESERVE)
            emit("bots.reserve", bot=device.bot_name)

    async def _let_go(self, device: Connected, held: Route) -> None:
        self._unplug(device)
        async with self._database.transaction() as tx:
            await self._release(tx, device, held, _why(device))
        if not device.is_trusted:
            # Trusted again later, it is the newest then, whoever came meanwhile.
            device.epoch = None

    async def _let_orphans_go(self, now: Now, devices: list[Connected]) -> None:
        """Held by this life for connections that are gone: the database was away when they ended."""
        wanted = {device.epoch for device in [*devices, *self.devices]}
        for held in now.routes.values():
            if held.worker == now.worker and held.epoch not in wanted:
                async with self._database.transaction() as tx:
                    await routes.release_route(tx, held)

    async def _release(self, tx: Tx, device: Connected, held: Route, reason: str) -> None:
        if await routes.release_route(tx, held):
            await connected.clear_holder(tx, device.bot_id, device.device)
            await _record(tx, device, "disconnected", {"reason": reason})
            emit("bots.disconnected", bot=device.bot_name, reason=reason)

    def _unplug(self, device: Connected) -> None:
        """At once: whatever becomes of the rows, nothing is sent through it any more."""
        self._connections.drop(device.route, device.connection)
        device.connection.drop_route()

    def _lapse(self) -> None:
        """Others may hold our routes already."""
        for device in self._devices.values():
            self._unplug(device)
        self.wake()


def _learn(device: Connected, seen: Seen, *, asks_at_new: bool) -> None:
    """What was decided meanwhile; the phone is told."""
    was_approved = device.is_approved
    device.unit_id, device.state, device.is_chosen = seen.unit_id, seen.state, seen.is_chosen
    device.is_asking = asks_at_new and seen.asks(device.network)
    is_new_secret, device.proof = seen.proof not in (None, device.proof), seen.proof
    if device.is_approved != was_approved:
        device.connection.welcome(verdict(seen.state, seen.proof, is_asking=device.is_asking))
    if device.is_approved and not device.is_trusted and (is_new_secret or not was_approved):
        device.connection.ping()


SENDS = Verdict(approved=True, message="이제 이 기기가 보냅니다. / This device sends now.")
RESERVE = Verdict(
    approved=True,
    message="이 봇의 다른 기기가 보내고 있어 예비로 둡니다. / "
    "Another device of this bot sends; this one is in reserve.",
)


def verdict(state: str, proof: str | None, *, is_asking: bool) -> Verdict:
    if is_asking:
        return Verdict(
            approved=False, message="새 네트워크라 승인을 기다립니다. / A new network: it waits for approval."
        )
    if state == DeviceState.APPROVED:
        return Verdict(
            approved=True, needs_proof=proof is not None, message="승인된 기기입니다. / This device is approved."
        )
    return Verdict(approved=False, message="승인을 기다리는 기기입니다. / This device waits for approval.")


def _why(device: Connected) -> str:
    if device.connection.is_closed:
        return "closed"
    if not device.is_trusted:
        return "not_trusted"
    return "excluded" if device.connection.is_active else "silent"


async def _record(tx: Tx, device: Connected, verb: str, data: dict[str, object]) -> None:
    about, said = f"{ABOUT}:{device.bot_id}", {"name": device.bot_name, "device": device.device, **data}
    await facts.record(tx, f"messaging.bot_{verb}", about, said, device.unit_id)
