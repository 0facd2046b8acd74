"""Slows guessing down, by login and by address, for all servers at once; locks nobody out for ever.

A try is counted before the password is looked at and given back when it was right: so a burst of guesses that come
together gets no more looks than the same guesses one after the other.
"""

import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Slowing:
    """Many people may share one address (an office, a proxy), so it has more free tries than a login has."""

    per_login: int = 5
    per_address: int = 20
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
class Taken:
    """A try that counts until it is given back. `is_slowed`: if it fails, the next one has to wait."""

    login: str
    address: str
    at: datetime
    is_slowed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    until: datetime


async def take(tx: Tx, login: str, address: str, slowing: Slowing) -> Taken | Refused:
    """Refused tries do not count: whoever hammers does not make the others wait longer."""
    free = {_subject("login", login): slowing.per_login, _subject("address", _network(address)): slowing.per_address}
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
    return Taken(login, address, tx.now, is_slowed=any(counts))


async def forgive(tx: Tx, taken: Taken) -> None:
    """It was right: the login starts afresh; the address gets back this one only, or one's own login would free it."""
    # In the order of the rows when they are held: two must not wait for each other.
    await tx.run(SQL.give_back, subject=_subject("address", _network(taken.address)), at=taken.at)
    await tx.run(SQL.clear_tries, subject=_subject("login", taken.login))


async def forget(tx: Tx, slowing: Slowing) -> int:
    return await tx.run(SQL.forget_tries, before=tx.now - slowing.window)


def _subject(kind: str, value: str) -> str:
    return f"{kind}:{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _network(address: str) -> str:
    """Whoever has one IPv6 address has all of its /64."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    return str(known.ipv4_mapped or ipaddress.IPv6Network((known, 64), strict=False))
