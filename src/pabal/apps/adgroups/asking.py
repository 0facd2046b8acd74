"""What ad groups ask people: may this one that is set up go on air? Asked and settled in the commit of its moves."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from pabal.apps.adgroups.settings import APPROVERS
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform import approvals, settings
from pabal.platform.approvals import Asked, Kind

SQL = load(__file__)
READY = Kind("adgroups.ready", machine="adgroup", approve="approve", reject="reject")


async def ask(tx: Tx, ad_group_ids: Iterable[int], *, by: str | None = None) -> None:
    """For those that are ready. Whoever edited one (`by`) asks anew: what was shown before is not what is there now.

    Past its end it cannot be approved, so nobody is asked.
    """
    rows = await tx.rows(SQL.list_asking, ids=list(ad_group_ids), now=tx.now)
    needed = await settings.value(tx, APPROVERS) if rows else 1
    asked = [
        Asked(
            subject=row["id"],
            unit_id=row["unit_id"],
            by=by or row["actor"],
            alike=f"campaign:{row['campaign_id']}",
            # every edit is another question
            seen=uuid4().hex,
            deadline_at=row["end_at"],
            needed=needed,
        )
        for row in rows
    ]
    await approvals.ask(tx, READY, asked)
    over = set(ad_group_ids) - {one.subject for one in asked} if by is not None else set()
    await approvals.close(tx, READY, over, None, actor=by or "engine")


async def on_ready(tx: Tx, groups: Sequence[Any]) -> None:
    await ask(tx, [group.id for group in groups])


async def on_decided(tx: Tx, groups: Sequence[Any]) -> None:
    await approvals.settle(tx, READY, [group.id for group in groups])
