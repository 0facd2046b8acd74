"""The dry run: every old row is read, mapped and kept beside what is wrong with it; no ad group is made."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from pabal.apps.adgroups.legacy import runs
from pabal.apps.adgroups.legacy.mapping import Planned, Raw, plan_row
from pabal.apps.adgroups.legacy.model import Refusal
from pabal.apps.adgroups.legacy.runs import Found
from pabal.base.database import Tx


async def stage(tx: Tx, run_id: int, slices: AsyncIterator[list[Raw]]) -> Found:
    """Of rows with one id the first counts."""
    found, known = Found(), set[str]()
    async for slice_ in slices:
        planned = _plan(slice_, found.rows, tx.now, known)
        await runs.add_rows(tx, run_id, planned)
        found.count(planned)
    await runs.end_plan(tx, run_id, found)
    return found


def _plan(slice_: Sequence[Raw], before: int, now: datetime, known: set[str]) -> list[Planned]:
    planned = [plan_row(n, raw, now) for n, raw in enumerate(slice_, start=before + 1)]
    for one in planned:
        if one.legacy_id is None:
            continue
        if one.legacy_id in known:
            one.refusal, one.state, one.calculated, one.marks = Refusal.DUPLICATE_ID, None, None, []
        known.add(one.legacy_id)
    return planned
