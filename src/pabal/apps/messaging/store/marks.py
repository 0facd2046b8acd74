"""The parts of deliveries: planned together, marked one by one as they go out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pabal.apps.messaging.model.content import Content, ImageMode, Pace, plan_parts
from pabal.apps.messaging.model.deliveries import DeliveryPart, PartState
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.engine.kinds import Job

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Mark:
    """A part is about to be written, has been, or turned out not to have been begun."""

    delivery_id: int
    no: int
    state: PartState


class Marked(NamedTuple):
    """Whether the attempt still has its job and its route, and the part is now as the mark says."""

    is_held: bool
    has_route: bool
    stands: bool


async def mark_parts(database: Database, asked: Sequence[tuple[Job, Mark]]) -> list[Marked]:
    """A commit of its own, each fenced by itself; no two marks of one part together, please."""
    rows = await database.rows(
        SQL.mark_parts,
        jobs=[job.id for job, _ in asked],
        tokens=[job.token for job, _ in asked],
        queues=[job.queue for job, _ in asked],
        epochs=[job.route_epoch for job, _ in asked],
        deliveries=[mark.delivery_id for _, mark in asked],
        numbers=[mark.no for _, mark in asked],
        states=[mark.state for _, mark in asked],
    )
    return [Marked(*row) for row in rows]


async def settle_writing(tx: Tx, delivery_id: int, *, resend: bool) -> int:
    state = PartState.PLANNED if resend else PartState.UNKNOWN
    return await tx.run(SQL.settle_writing, delivery_id=delivery_id, state=state, resent=int(resend))


async def plan_unknown(tx: Tx, delivery_id: int) -> int:
    """Somebody says: send it again, although it may arrive twice."""
    return await tx.run(SQL.plan_unknown, delivery_id=delivery_id)


async def list_parts(tx: Tx, delivery_ids: Sequence[int]) -> dict[int, tuple[DeliveryPart, ...]]:
    return _by_delivery(delivery_ids, await tx.rows(SQL.list_parts, deliveries=list(delivery_ids)))


class Plan(NamedTuple):
    """`anew`: it was planned before, and nothing of it has begun."""

    delivery_id: int
    content: Content
    mode: ImageMode
    anew: bool = False


async def plan(tx: Tx, plans: Sequence[Plan]) -> dict[int, tuple[DeliveryPart, ...]]:
    """By delivery."""
    anew = [plan.delivery_id for plan in plans if plan.anew]
    if anew:
        await tx.run(SQL.delete_parts, deliveries=anew)
    parts = [(plan.delivery_id, part) for plan in plans for part in plan_parts(plan.content, Pace(plan.mode))]
    rows = await tx.rows(
        SQL.insert_parts,
        deliveries=[delivery_id for delivery_id, _ in parts],
        numbers=[part.no for _, part in parts],
        components=[part.component for _, part in parts],
        firsts=[part.first_image for _, part in parts],
        lasts=[part.last_image for _, part in parts],
    )
    return _by_delivery([plan.delivery_id for plan in plans], rows)


def _by_delivery(delivery_ids: Iterable[int], rows: Iterable[Row]) -> dict[int, tuple[DeliveryPart, ...]]:
    found: dict[int, list[DeliveryPart]] = {delivery_id: [] for delivery_id in delivery_ids}
    for row in rows:
        found[row["delivery_id"]].append(as_part(row))
    return {delivery_id: tuple(parts) for delivery_id, parts in found.items()}


def as_part(row: Row) -> DeliveryPart:
    values = dict(row)
    return DeliveryPart(**{**values, "state": PartState(values["state"])})
