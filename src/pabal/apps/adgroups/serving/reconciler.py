"""Keeps Redis equal to the database: compared in slices from both sides and fixed, or all of it written again."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pabal.apps.adgroups.errors import ServingAway, ServingOvertaken
from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.layout import (
    ABOUT,
    INVENTORY,
    PREFIX,
    RUNNING,
    Change,
    Difference,
    compare,
    key_of_inventory,
    read_id,
)
from pabal.apps.adgroups.serving.store import Check
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit

if TYPE_CHECKING:
    from pabal.apps.adgroups.serving.links import Link

SLICE = 1000
# What changed a moment ago is on its way by itself.
ON_ITS_WAY = timedelta(minutes=1)
AT_ONCE = timedelta(0)
_OURS = (ABOUT.removeprefix(PREFIX), RUNNING.removeprefix(PREFIX))
_LISTS = INVENTORY.removeprefix(PREFIX)

Report = Callable[[dict[str, Any]], Awaitable[None]]

declare("serving.checked", "Comparisons of Redis with the database", seconds=True)
declare("serving.differed", "What differed between Redis and the database", labels=("kind",), amount="count", level=30)
declare("serving.rebuilt", "Times all of what ad servers read was written anew")
# Who is overtaken lets the other finish.
PAUSES = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 1.0)


async def reconcile_once(
    database: Database,
    link: "Link",
    *,
    grace: timedelta = AT_ONCE,
    asked_by: str = "engine",
    report: Report | None = None,
) -> Check:
    """After it Redis equals the database, but for what changed within the last `grace` and comes by itself.

    When Redis goes away meanwhile, the check says how far it came.
    """
    began, failure = elapsed(), None
    comparison = Comparison(database, link, grace, report)
    try:
        await comparison.follow_database()
        await comparison.follow_redis()
    except (ServingAway, ServingOvertaken) as error:
        failure = error
    return await _write_down(comparison, failure, elapsed() - began, asked_by)


@dataclass(slots=True)
class Comparison:
    database: Database
    link: "Link"
    grace: timedelta
    report: Report | None = None
    compared: int = 0
    found: Counter[Difference] = field(default_factory=Counter)
    mended: int = 0

    async def follow_database(self) -> None:
        """What runs is there, as it is now."""
        after, ids = 0, [0]
        while ids:
            async with self.database.transaction() as tx:
                ids = await store.list_running(tx, after=after, limit=SLICE)
                served = list((await store.load_served(tx, ids)).values())
            if served:
                seen = await self.link.look(served)
                judged = {one.id: compare(one, seen[one.id]) for one in served}
                await self._mend({each: kind for each, kind in judged.items() if kind is not None})
            after = ids[-1] if ids else after
            await self._count(len(ids))

    async def follow_redis(self) -> None:
        """What is there runs, and is listed where it should be; nothing else is there."""
        codes = []
        async for names in self.link.scan_keys():
            codes += [name.removeprefix(_LISTS) for name in names if name.startswith(_LISTS)]
            rest = [name for name in names if not name.startswith(_LISTS) and name not in _OURS]
            strange = await self._check_members(rest)
            if strange:
                await self.link.drop_keys(strange)
                self.mended += len(strange)
        async for members in self.link.scan_members(RUNNING):
            await self._drop(RUNNING, await self._check_members(members))
        for code in codes:
            async for members in self.link.scan_members(key_of_inventory(code)):
                await self._drop(key_of_inventory(code), await self._check_members(members, code))

    async def _check_members(self, names: Sequence[str], code: str | None = None) -> list[str]:
        """Mends those of ad groups that should not be here; answers what is of no ad group at all."""
        ids = {each for name in names if (each := read_id(name)) is not None}
        async with self.database.transaction() as tx:
            right = await (
                store.filter_running(tx, sorted(ids)) if code is None else store.filter_holding(tx, code, sorted(ids))
            )
        wrong = Difference.NOT_RUNNING if code is None else Difference.WRONG_INVENTORY
        lists = frozenset() if code is None else frozenset({code})
        await self._mend(dict.fromkeys(sorted(ids - right), wrong), lists)
        strange = [name for name in names if read_id(name) is None]
        self.found[Difference.UNKNOWN] += len(strange)
        return strange

    async def _mend(self, differing: Mapping[int, Difference], lists: frozenset[str] = frozenset()) -> None:
        if not differing:
            return
        async with self.database.transaction() as tx:
            changes = await store.load_changes(tx, sorted(differing))
            since = tx.now - self.grace
        settled = [each for each in differing if each not in changes or changes[each] <= since]
        for each in settled:
            is_unknown = each not in changes and differing[each] is Difference.NOT_RUNNING
            self.found[Difference.UNKNOWN if is_unknown else differing[each]] += 1
        if settled:
            await write_current(self.database, self.link, settled, dict.fromkeys(settled, lists))
            self.mended += len(settled)

    async def _drop(self, key: str, strange: Sequence[str]) -> None:
        if strange:
            await self.link.drop_members(key, strange)
            self.mended += len(strange)

    async def _count(self, more: int) -> None:
        self.compared += more
        if self.report is not None and more:
            await self.report({"compared": self.compared, "differences": self.found.total()})


async def _write_down(
    comparison: Comparison, failure: ServingAway | ServingOvertaken | None, seconds: float, asked_by: str
) -> Check:
    compared, mended = comparison.compared, comparison.mended
    error = None if failure is None else failure.detail
    emit("serving.checked", seconds=seconds, compared=compared, mended=mended, error=error)
    for kind, count in comparison.found.items():
        if count:
            emit("serving.differed", kind=kind, count=count)
    found = {str(kind): comparison.found[kind] for kind in Difference}
    async with comparison.database.transaction() as tx:
        if isinstance(failure, ServingAway):
            await store.note_away(tx, failure.detail)
        else:
            await store.note_answers(tx)
        check = Check(0, tx.now, round(seconds * 1000), asked_by, compared, found, mended, error)
        return await store.insert_check(tx, check)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many run and were written; how much was there that should not be."""

    written: int
    removed: int


async def rebuild(database: Database, link: "Link", *, report: Report | None = None) -> Rebuilt:
    """First all that runs, whatever is there; then what should not be there goes. Raises ServingAway."""
    written, after = 0, 0
    while True:
        async with database.transaction() as tx:
            ids = await store.list_running(tx, after=after, limit=SLICE)
        if not ids:
            break
        await write_current(database, link, ids)
        written, after = written + len(ids), ids[-1]
        if report is not None:
            await report({"written": written})
    sweep = Comparison(database, link, AT_ONCE)
    await sweep.follow_redis()
    async with database.transaction() as tx:
        await store.note_rebuilt(tx)
        at = tx.now
    await link.note_rebuilt(at)
    emit("serving.rebuilt", written=written, removed=sweep.mended)
    return Rebuilt(written, sweep.mended)


async def read_change(tx: Tx, ids: Sequence[int], also: Mapping[int, frozenset[str]] | None = None) -> Change:
    """As these are now: first the fence, then the rows."""
    fence = await store.take_fence(tx)
    served = await store.load_served(tx, ids)
    return Change(fence, tx.now, {each: served.get(each) for each in ids}, also or {})


async def write_current(
    database: Database, link: "Link", ids: Sequence[int], also: Mapping[int, frozenset[str]] | None = None
) -> None:
    """What is there of these becomes what it should be; read anew as often as another writer was quicker."""
    for pause in PAUSES:
        async with database.transaction() as tx:
            change = await read_change(tx, ids, also)
        try:
            return await link.write(change)
        except ServingOvertaken as error:
            overtaken = error
        async with database.transaction() as tx:
            await store.raise_fence(tx, overtaken.later)
        await asyncio.sleep(pause)
    raise overtaken
