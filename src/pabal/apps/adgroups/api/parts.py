"""How an ad group is found, held and answered; what a guard found, as programs and their readers see it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.actions.events import Explained, explain_one
from pabal.apps.adgroups.api.names import EventName, Status, show_event, show_status
from pabal.apps.adgroups.api.shown import keep_group, show_group, teller
from pabal.apps.adgroups.machine import load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, AdGroup, Event
from pabal.apps.adgroups.sentences import tell_condition
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform.actor import Right
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import Shown
from pabal.platform.web.etags import check_match, is_known, tag_of
from pabal.platform.web.visit import Visit


class ConditionShown(Shown):
    """One condition of a guard, with the values it compared and the sentence made from them."""

    code: str = Field(examples=["has_begun"])
    holds: bool = Field(examples=[False])
    values: dict[str, Any] = Field(examples=[{"now": "2026-07-02T23:59:00Z", "start_at": "2026-07-03T00:00:00Z"}])
    detail: str = Field(examples=["now 08:59 KST < start 09:00 KST"])


class ExplainedShown(Shown):
    """What one event would do: lead to `target`, or be refused; `report` holds every condition of its guard."""

    event: EventName = Field(examples=["START"])
    allowed: bool = Field(examples=[False])
    target: Status | None = Field(examples=[None])
    code: str | None = Field(description="Why not: the first condition that does not hold.", examples=["has_begun"])
    guard: str | None = Field(examples=["startable"])
    report: list[ConditionShown]
    is_extension: bool = Field(description="The seed's matrix does not have this move.", examples=[False])


def may_read(visit: Visit) -> None:
    visit.actor.require(Right.READ, AREA)


async def find(tx: Tx, visit: Visit, ad_group_id: int) -> AdGroup:
    may_read(visit)
    return await store.get_ad_group(tx, await visible_to(tx, visit.actor), ad_group_id)


async def hold(tx: Tx, visit: Visit, ad_group_id: int) -> AdGroup:
    """Locked and as the caller read it: nobody changes it between the comparison and the change."""
    may_read(visit)
    found = await store.hold_ad_group(tx, await visible_to(tx, visit.actor), ad_group_id)
    check_match(visit, keep_group(found, tx.now))
    return found


def answer_group(
    visit: Visit, group: AdGroup, now: datetime, status: int = 200, *, location: str | None = None
) -> Response:
    """With an ETag of what is stored: sentences change with the reader and the hour."""
    tag = tag_of(keep_group(group, now))
    headers = {
        "ETag": tag,
        "Cache-Control": "private, no-cache",
        **({} if location is None else {"Location": location}),
    }
    if visit.request.method == "GET" and is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    body = show_group(group, now, visit.lang).model_dump_json()
    return Response(body, status, headers, media_type="application/json")


def show_explained(one: Explained, group: AdGroup, now: datetime, visit: Visit) -> ExplainedShown:
    show = teller(group, now, visit.lang)
    return ExplainedShown(
        event=show_event(one.event),
        allowed=one.is_allowed,
        target=None if one.target is None else show_status(one.target),
        code=None if one.refusal is None else one.refusal.reason,
        guard=one.guard,
        report=[
            ConditionShown(
                code=found.name,
                holds=found.holds,
                values=show_values(found.values),
                detail=tell_condition(found, visit.lang, show),
            )
            for found in one.checked
        ],
        is_extension=one.is_extension,
    )


async def explain_group(tx: Tx, visit: Visit, group: AdGroup, event: Event) -> ExplainedShown:
    [subject] = await load_subjects(tx, [group.id])
    return show_explained(explain_one(subject, event, tx.now, visit.actor), group, tx.now, visit)


@contextmanager
def reporting(effect: ExplainedShown) -> Iterator[None]:
    """A refusal says all that its guard found."""
    try:
        yield
    except (MoveNotAllowed, GuardRefused) as error:
        # an error says its members to the web: see platform/web/problems.py
        said = effect.model_dump(mode="json", include={"event", "guard", "report"})
        error.members = said  # type: ignore[union-attr]
        raise


def show_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """States inside are the seed's outside."""
    return {
        name: value.upper() if name in ("state", "campaign_state", "event") else value for name, value in values.items()
    }
