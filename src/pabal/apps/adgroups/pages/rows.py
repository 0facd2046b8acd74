"""An ad group as lists show it: why it is so, what comes next, its hours in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pabal.apps.adgroups.legacy.resolver import calculated_of
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, Source, State
from pabal.apps.adgroups.pages.listing import tell
from pabal.apps.adgroups.sentences import describe_hours, explain_state, next_event
from pabal.base.database import Tx
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit


@dataclass(frozen=True, slots=True)
class Row:
    """`path` is its owner, from the top one may see. `shown` is the state whose word counts, `calculated` what the old
    calculator says."""

    group: AdGroup
    shown: State
    calculated: State
    reason: str
    hours: str
    path: list[str]
    next_event: Event | None = None
    next_at: datetime | None = None


async def make_rows(tx: Tx, visit: Visit, found: Sequence[AdGroup]) -> list[Row]:
    tree = await load_tree(tx, visit.scope)
    return [_row(visit, group, tree.names(group.unit_id), tx.now) for group in found]


def _row(visit: Visit, group: AdGroup, path: list[str], now: datetime) -> Row:
    coming, calculated = next_event(group, now), calculated_of(group, now)
    shown = group.state if group.source is Source.MACHINE else calculated
    return Row(
        group,
        shown,
        calculated,
        # the reason is of the state that is shown
        tell(visit, explain_state(replace(group, state=shown), now)),
        visit.say(*describe_hours(group.schedule.dayparts, group.schedule.zone, now)),
        path,
        coming[0] if coming else None,
        coming[1] if coming else None,
    )
