"""One event to many ad groups: each has its own result, and can be seen before."""

from typing import Annotated, Any, Literal

from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.actions import events as actions
from pabal.apps.adgroups.actions.events import MOST_AT_ONCE
from pabal.apps.adgroups.api.names import (
    AdGroupNamed,
    DryRun,
    EventName,
    Status,
    noun,
    read_event,
    show_id,
    show_status,
)
from pabal.apps.adgroups.api.parts import may_read, show_values
from pabal.apps.adgroups.api.shown import teller
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, State
from pabal.apps.adgroups.sentences import tell_refusal
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine.machine import Refusal
from pabal.platform.web.endpoints import Asked, Shown, answer
from pabal.platform.web.filters import Text
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = noun()
EXAMPLE = "adg_01h2xcejqtf2n"
_UTC = "UTC"


class BulkAsked(Asked):
    """At most 1,000 at once."""

    event: EventName = Field(examples=["PAUSE"])
    ids: Annotated[tuple[AdGroupNamed, ...], Field(min_length=1, max_length=MOST_AT_ONCE, examples=[[EXAMPLE]])]
    reason: Text | None = Field(default=None, examples=["소재 교체"])


class BulkResult(Shown):
    """`status` is where it is now, or in a dry run would be; `code`, `values` and `detail` say why it is refused."""

    id: str = Field(examples=[EXAMPLE])
    result: Literal["moved", "refused"] = Field(examples=["moved"])
    status: Status | None = Field(examples=["PAUSED"])
    code: str | None = Field(examples=[None])
    values: dict[str, Any] = Field(examples=[{}])
    detail: str | None = Field(examples=[None])


class BulkSent(Shown):
    state: Literal["done", "partial", "failed"] = Field(examples=["done"])
    moved: int = Field(examples=[1])
    refused: int = Field(examples=[0])
    is_dry_run: bool = Field(examples=[False])
    results: list[BulkResult]


@router.post("/events/bulk", response_model=BulkSent)
async def send_event_to_many(visit: Visitor, once: OnceOnly, asked: BulkAsked, dry_run: DryRun = False) -> Response:
    """Sends an event to many: all that can move do, the others are answered with why not."""
    event = read_event(asked.event)
    chosen = list(dict.fromkeys(asked.ids))

    async def act(tx: Tx) -> Response:
        may_read(visit)
        ended = await _do(tx, visit, event, chosen, asked.reason, dry_run=dry_run)
        groups = {group.id: group for group in await store.load_ad_groups(tx, chosen)}
        results = [_show(visit, tx, one, ended[one], groups.get(one)) for one in chosen]
        moved = sum(one.result == "moved" for one in results)
        refused = len(results) - moved
        state: Literal["done", "partial", "failed"] = "done" if not refused else "partial" if moved else "failed"
        return answer(BulkSent(state=state, moved=moved, refused=refused, is_dry_run=dry_run, results=results))

    return await once.run(act)


async def _do(
    tx: Tx, visit: Visit, event: Event, chosen: list[int], reason: str | None, *, dry_run: bool
) -> dict[int, State | Refusal]:
    if dry_run:
        return await actions.preview_many(tx, visit.actor, chosen, event)
    moved = await actions.send_many(tx, visit.actor, chosen, event, reason=reason)
    return {**{one.subject: State(one.target) for one in moved.transitions}, **moved.refused}


def _show(visit: Visit, tx: Tx, ad_group_id: int, ended: State | Refusal, group: AdGroup | None) -> BulkResult:
    if not isinstance(ended, Refusal):
        status = show_status(ended)
        return BulkResult(id=show_id(ad_group_id), result="moved", status=status, code=None, values={}, detail=None)
    is_seen = group is not None and ended.reason != "not_found"
    show = teller(group, tx.now, visit.lang) if group is not None and is_seen else str
    return BulkResult(
        id=show_id(ad_group_id),
        result="refused",
        status=show_status(group.state) if group is not None and is_seen else None,
        code=ended.reason,
        values=show_values(ended.values),
        detail=tell_refusal(ended, visit.lang, show),
    )
