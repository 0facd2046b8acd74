"""Slows guessing down, for all servers at once; locks nobody out for ever.

Failures are counted for a login at one address, for a login wherever they come from, and for an address whichever
logins it tries. The first is small and slows whoever mistypes or guesses at one person. The other two are wide, against
guesses from many addresses and at many logins: an office behind one address does not reach them by mistyping. A device
in which this person signed in before is counted by itself: neither somebody else's failures at this address nor guesses
at this login from elsewhere make it wait.

A try is counted before the password is looked at and given back when it was right: so a burst of guesses that come
together gets no more looks than the same guesses one after the other.

Known devices are browsers in which somebody signed in before. Being known opens nothing; it only gives tries of one's
own, so that whoever guesses from the same address, or at the same login, makes nobody wait who was here before.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.addresses import group_address
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.auth.keys import digest, new_secret

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Slowing:
    """How many failures are free. `per_pair`: of one login at one address, or on one known device."""

    per_pair: int = 5
    per_login: int = 20
    per_address: int = 100
    window: timedelta = timedelta(minutes=15)
    longest: timedelta = timedelta(minutes=5)

    def allowed_at(self, tries: Sequence[datetime], *, free: int, now: datetime) -> datetime | None:
        """None: at once. Only what happened within the window counts, so waiting always helps."""
        recent = [at for at in tries if at > now - self.window]
        if len(recent) < free:
            return None
        wait = min(self.longest, timedelta(seconds=2 ** min(len(recent) - free + 1, 20)))
        until = max(recent) + wait
        return until if until > now else None


@dataclass(frozen=True, slots=True)
class Counters:
    """Which rows a try is counted in. A known device has one of its own and none besides."""

    own: str
    login: str | None = None
    address: str | None = None

    def free(self, slowing: Slowing) -> dict[str, int]:
        wide = {self.address: slowing.per_address, self.login: slowing.per_login}
        return {**{name: free for name, free in wide.items() if name is not None}, self.own: slowing.per_pair}


@dataclass(frozen=True, slots=True)
class Taken:
    """A try that counts until it is given back. `is_slowed`: if it fails, the next one has to wait."""

    counters: Counters
    address: str
    at: datetime
    is_slowed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    until: datetime


async def take(tx: Tx, login: str, address: str, slowing: Slowing, *, device: str | None = None) -> Taken | Refused:
    """Refused tries do not count: whoever hammers does not make the others wait longer. `device`: one that is known to
    be this person's.
    """
    counters = _counters(login, group_address(address), device)
    free = counters.free(slowing)
    await tx.run(SQL.hold_rows, subjects=list(free), now=tx.now)
    rows = await tx.rows(SQL.list_tries, subjects=list(free))
    held: dict[str, list[datetime]] = {row["subject"]: row["tries"] for row in rows}
    waits = [slowing.allowed_at(tries, free=free[subject], now=tx.now) for subject, tries in held.items()]
    if any(waits):
        return Refused(max(until for until in waits if until))
    counts = []
    for subject, tries in held.items():
        kept = [at for at in tries if at > tx.now - slowing.window] + [tx.now]
        counts.append(len(kept) >= free[subject])
        await tx.run(SQL.update_tries, subject=subject, tries=kept, now=tx.now)
    return Taken(counters, address, tx.now, is_slowed=any(counts))


async def forgive(tx: Tx, taken: Taken) -> None:
    """It was right. Whoever it was starts afresh, and what they had mistyped here is given back to the address; what
    others failed there stays, or one's own login would free a guesser's.
    """
    counters = taken.counters
    # In the order of the rows when they are held: two must not wait for each other.
    if counters.address is not None and counters.login is not None:
        await tx.run(SQL.give_back, subject=counters.address, own=counters.own, at=taken.at)
        await tx.run(SQL.clear_tries, subject=counters.login)
    await tx.run(SQL.clear_tries, subject=counters.own)


async def forget(tx: Tx, slowing: Slowing) -> int:
    return await tx.run(SQL.forget_tries, before=tx.now - slowing.window)


def _counters(login: str, network: str, device: str | None) -> Counters:
    if device is not None:
        return Counters(_subject("device", f"{login} {device}"))
    pair = _subject("pair", f"{login} {network}")
    return Counters(pair, login=_subject("login", login), address=_subject("address", network))


def _subject(kind: str, value: str) -> str:
    return f"{kind}:{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


KEPT_FOR = timedelta(days=180)
MOST = 20


async def is_known(tx: Tx, user_id: int, secret: str) -> bool:
    found = await tx.value(SQL.is_known, secret_hash=digest(secret), user_id=user_id, after=tx.now - KEPT_FOR)
    return bool(found)


async def remember_device(tx: Tx, user_id: int, secret: str) -> str:
    """For a user that is held. The secret for the cookie: the one that came, if it is this user's, or a new one."""
    if await tx.run(SQL.touch_device, secret_hash=digest(secret), user_id=user_id, now=tx.now):
        return secret
    made = new_secret()
    await tx.run(SQL.insert_device, secret_hash=digest(made), user_id=user_id, now=tx.now)
    await tx.run(SQL.delete_oldest, user_id=user_id, kept=MOST)
    return made


async def forget_devices_of(tx: Tx, user_id: int) -> int:
    return await tx.run(SQL.delete_devices, user_id=user_id)


async def forget_devices(tx: Tx) -> int:
    return await tx.run(SQL.forget_devices, before=tx.now - KEPT_FOR)
