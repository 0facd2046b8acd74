"""The tables of approvals and of the voices where it takes two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import ids
from pabal.platform.approvals.machine import load_approvals
from pabal.platform.approvals.model import Approval, Asked, Kind
from pabal.platform.tenants import Scope

SQL = load(__file__)
OPEN = "open"
# so many of the last decisions are counted beside a request
SIMILAR = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which approvals, newest first; `before` is the last id of the page before. Only of these kinds."""

    kinds: tuple[str, ...]
    states: tuple[str, ...] = (OPEN,)
    before: int = ids.LAST
    # whose inbox it is: what they want to see later is not in it, or with `is_later` nothing else
    me: str = ""
    is_later: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """An open request whose subject moved, and the move."""

    id: int
    event: str
    actor: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Short:
    """An open request that takes several people, and who has said yes."""

    id: int
    subject: int
    needed: int
    requested_by: str
    voices: list[str]


async def insert_approvals(tx: Tx, kind: Kind, asked: Sequence[Asked]) -> list[int]:
    """Those whose subject has no open one of this kind."""
    rows = await tx.rows(
        SQL.insert_approvals,
        kind=kind.name,
        machine=kind.machine,
        subjects=[one.subject for one in asked],
        units=[one.unit_id for one in asked],
        requesters=[one.by for one in asked],
        alikes=[one.alike for one in asked],
        seens=[one.seen for one in asked],
        deadlines=[one.deadline_at for one in asked],
        needed=[one.needed for one in asked],
        now=tx.now,
    )
    return [row["id"] for row in rows]


async def list_asked_otherwise(tx: Tx, kind: Kind, asked: Sequence[Asked]) -> list[int]:
    subjects, seens = [one.subject for one in asked], [one.seen for one in asked]
    return [
        row["id"] for row in await tx.rows(SQL.list_asked_otherwise, kind=kind.name, subjects=subjects, seens=seens)
    ]


async def list_settled(tx: Tx, kind: Kind, subjects: Iterable[int]) -> list[Settled]:
    return await tx.all(Settled, SQL.list_settled, kind=kind.name, subjects=list(subjects))


async def list_open_of(tx: Tx, kind: Kind, subjects: Iterable[int]) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.list_open_of, kind=kind.name, subjects=list(subjects))]


async def list_short(tx: Tx, kind: Kind, subjects: Iterable[int]) -> list[Short]:
    return await tx.all(Short, SQL.list_short, kind=kind.name, subjects=list(subjects))


async def rehome(tx: Tx, kind: Kind, alike: str, unit_id: int | None) -> None:
    """What these are about belongs to another unit now, and so do the questions."""
    await tx.run(SQL.rehome, kind=kind.name, alike=alike, unit_id=unit_id)


async def find_approval(tx: Tx, approval_id: int) -> Approval | None:
    found = await load_approvals(tx, [approval_id])
    return found[0] if found else None


async def hold_approval(tx: Tx, approval_id: int) -> None:
    """Locked until the commit; whoever locks its subject too locks that first."""
    await tx.value(SQL.hold_approval, id=approval_id)


async def list_approvals(tx: Tx, scope: Scope, wanted: Wanted, *, limit: int) -> list[Approval]:
    asked = {"kinds": list(wanted.kinds), "before": wanted.before, "most": limit}
    if wanted.states == (OPEN,):
        mine = {"me": wanted.me, "is_later": wanted.is_later, "now": tx.now}
        rows = await tx.rows(SQL.find_open, units=scope.listed, **mine, **asked)
    elif scope.units is None:
        rows = await tx.rows(SQL.find_over, states=list(wanted.states), **asked)
    else:
        rows = await tx.rows(SQL.find_over_of_units, units=scope.listed, states=list(wanted.states), **asked)
    return (await load_approvals(tx, [row["id"] for row in rows]))[::-1]


async def count_open(tx: Tx, scope: Scope, kinds: Sequence[str], me: str, *, most: int) -> int:
    found: int = await tx.value(SQL.count_open, units=scope.listed, kinds=list(kinds), me=me, most=most, now=tx.now)
    return found


async def count_later(tx: Tx, scope: Scope, kinds: Sequence[str], me: str) -> int:
    found: int = await tx.value(SQL.count_later, units=scope.listed, kinds=list(kinds), me=me, now=tx.now)
    return found


async def put_off(tx: Tx, approval_id: int, actor: str, until: datetime) -> None:
    await tx.run(SQL.put_off, approval_id=approval_id, actor=actor, until=until)


async def take_up(tx: Tx, approval_id: int, actor: str) -> None:
    await tx.run(SQL.take_up, approval_id=approval_id, actor=actor)


async def is_last_move(tx: Tx, approval: Approval, event: str) -> bool:
    """Whether the decision was this move of its subject, and the last one."""
    said = {"machine": approval.machine, "subject": approval.subject, "event": event}
    return bool(await tx.value(SQL.is_last_move, **said, actor=approval.decided_by, at=approval.decided_at))


async def count_similar(tx: Tx, approval_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many like each were approved and rejected, among the last ones before it."""
    rows = await tx.rows(SQL.count_similar, ids=list(approval_ids), most=SIMILAR)
    return {row["id"]: (row["approved"], row["rejected"]) for row in rows}


async def list_similar(tx: Tx, scope: Scope, approval: Approval, *, limit: int) -> list[Approval]:
    if not approval.alike:
        return []
    same = {"kind": approval.kind, "alike": approval.alike, "before": approval.id}
    rows = await tx.rows(SQL.list_similar, **same, units=scope.listed, most=limit)
    return (await load_approvals(tx, [row["id"] for row in rows]))[::-1]


async def insert_voice(tx: Tx, approval_id: int, actor: str, reason: str | None) -> None:
    await tx.run(SQL.insert_voice, approval_id=approval_id, actor=actor, reason=reason, now=tx.now)
