"""The form of an ad group: new and edit, the week painted or typed, and what would come of what is typed so far."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.adgroups.actions import adgroups
from pabal.apps.adgroups.errors import (
    AdGroupChanged,
    AdGroupOver,
    AlreadyStarted,
    BadAdGroup,
    CampaignElsewhere,
    CampaignNotFound,
    SetupLocked,
)
from pabal.apps.adgroups.model.adgroups import AdGroup, NewAdGroup, Schedule, State
from pabal.apps.adgroups.model.calendars import Window
from pabal.apps.adgroups.pages.drafting import DAY_FIELDS, ZONES, Draft, understand
from pabal.apps.adgroups.pages.grid import EMPTY, count_hours, find_cell, make_cells
from pabal.apps.adgroups.pages.listing import AREA, LIST, MOST_CHOICES
from pabal.apps.adgroups.sentences import DAYS, describe_hours
from pabal.apps.adgroups.store.adgroups import get_ad_group
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.engine.recurrence import find_zone
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.moments import show_zone
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import visible_to
from pabal.platform.web.idempotency import Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
Posted = Annotated[Draft, Form()]
SHOWN = 6
AHEAD = timedelta(days=28)
# where an error of saving belongs in the form
_FIELDS: dict[type[PabalError], str] = {
    AlreadyStarted: "start_at",
    CampaignNotFound: "campaign_id",
    CampaignElsewhere: "campaign_id",
    SetupLocked: "campaign_id",
    AdGroupOver: "",
    BadAdGroup: "",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What would come of it: hours in words and the next windows; nothing where the fields cannot be read yet."""

    schedule: Schedule | None
    hours: str = ""
    weekly: float | None = None
    windows: tuple[Window, ...] = ()
    notes: tuple[Pair, ...] = ()


class _NotSaved(Exception):
    """Takes the faults out of a transaction in which nothing may be left behind."""

    def __init__(self, faults: Mapping[str, Pair], status: int = 422) -> None:
        self.faults, self.status = dict(faults), status


@router.get("/new")
async def new(visit: Visitor, campaign: str = "") -> Response:
    visit.actor.require(Right.WRITE, AREA)
    number = read_number(campaign)
    chosen = {"campaign_id": str(number or ""), "once": secrets.token_urlsafe(12)}
    return await _show(visit, Draft.fresh(visit.now).model_copy(update=chosen), None)


@router.post("/new")
async def create(visit: Visitor, draft: Posted) -> Response:
    return await _receive(visit, draft, None)


@router.post("/preview")
async def preview(visit: Visitor, draft: Posted) -> Response:
    """A fragment: what would come of what is typed so far."""
    visit.actor.require(Right.WRITE, AREA)
    return await visit.show("adgroups/preview.html", seen=_look(visit, draft))


@router.get("/{ad_group_id}/edit")
async def edit(visit: Visitor, ad_group_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    return await _show(visit, Draft.of(group), group)


@router.post("/{ad_group_id}/edit")
async def change(visit: Visitor, ad_group_id: RowId, draft: Posted) -> Response:
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    return await _receive(visit, draft, group)


async def _receive(visit: Visit, draft: Draft, group: AdGroup | None) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    what, _, which = draft.do.partition(":")
    if what == "preset":
        return await _show(visit, draft.with_preset(which), group)
    if what != "save":
        return await _show(visit, draft, group)
    understood = understand(draft)
    if understood.new is None:
        return await _show(visit, draft, group, understood.faults, 422)
    return await _save_once(visit, draft, group, _keep_exact(understood.new, draft, group))


def _keep_exact(new: NewAdGroup, draft: Draft, group: AdGroup | None) -> NewAdGroup:
    """A field shows no more than seconds: one that nobody touched is the moment it was."""
    if group is None or draft.zone != group.schedule.zone:
        return new
    was, shown = group.schedule, Draft.of(group)
    start = was.start_at if draft.start_at == shown.start_at else new.schedule.start_at
    end = was.end_at if draft.end_at == shown.end_at else new.schedule.end_at
    return replace(new, schedule=replace(new.schedule, start_at=start, end_at=end))


async def _save_once(visit: Visit, draft: Draft, group: AdGroup | None, wanted: NewAdGroup) -> Response:
    """A form sent twice makes one ad group, and is answered the same twice."""

    async def act(tx: Tx) -> Response:
        made = await _save(visit, tx, draft, group, wanted)
        said = ("Made: {name}", "만들었습니다: {name}") if group is None else ("Saved: {name}", "저장했습니다: {name}")
        return visit.go(f"{LIST}/{made.id}", said=said, name=made.name)

    key = f"form:{draft.once[:100]}" if draft.once and group is None else None
    try:
        return await Once(visit, key).run(act, fingerprint=b"ad group")
    except _NotSaved as kept:
        if group is not None and kept.status == 409:
            async with visit.read() as tx:
                group = await get_ad_group(tx, await visible_to(tx, visit.actor), group.id)
            draft = draft.model_copy(update={"version": str(group.schedule_version)})
        return await _show(visit, draft, group, kept.faults, kept.status)


async def _save(visit: Visit, tx: Tx, draft: Draft, group: AdGroup | None, wanted: NewAdGroup) -> AdGroup:
    try:
        if group is None:
            return await adgroups.create(tx, visit.actor, wanted)
        version = read_number(draft.version)
        return await adgroups.edit(tx, visit.actor, group.id, wanted, expect_version=version)
    except tuple(_FIELDS) as error:
        raise _NotSaved({_FIELDS[type(error)]: (explain(error, "en"), explain(error, "ko"))}) from error
    except AdGroupChanged as error:
        said = (
            f"{explain(error, 'en')} What you typed is still here; saving again replaces the other's change.",
            f"{explain(error, 'ko')} 적은 내용은 그대로 있습니다. 다시 저장하면 다른 사람의 변경을 덮어씁니다.",
        )
        raise _NotSaved({"": said}, 409) from error


async def _show(
    visit: Visit, draft: Draft, group: AdGroup | None, faults: Mapping[str, Pair] | None = None, status: int = 200
) -> Response:
    async with visit.read() as tx:
        campaigns = (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
    dayparts = understand(draft).dayparts
    return await visit.show(
        "adgroups/form.html",
        status,
        draft=draft,
        group=group,
        faults=dict(faults or {}),
        campaigns=[(str(one.id), one.name) for one in campaigns],
        zones=_list_zones(visit, draft.zone),
        days=[(name, visit.say(*DAYS[day])) for name, day in zip(DAY_FIELDS, DAYS, strict=True)],
        cells=make_cells(dayparts) if dayparts is not None else EMPTY,
        now_cell=find_cell(visit.now, draft.zone if draft.zone in dict(_list_zones(visit, "")) else ZONES[0]),
        seen=_look(visit, draft),
    )


def _list_zones(visit: Visit, also: str) -> list[tuple[str, str]]:
    """The usual ones, and the one it has."""
    names = list(ZONES)
    if also not in ZONES and _is_zone(also):
        names.append(also)
    return [(name, f"{name} ({show_zone(visit.now.astimezone(find_zone(name)))})") for name in names]


def _is_zone(name: str) -> bool:
    try:
        find_zone(name)
    except PabalError:
        return False
    return True


def _look(visit: Visit, draft: Draft) -> Seen:
    understood = understand(draft)
    # the name and the campaign change nothing about the hours
    new = understood.new or understand(draft.model_copy(update={"name": "x", "campaign_id": "1"})).new
    if new is None:
        return Seen(None)
    schedule = new.schedule
    return Seen(
        schedule,
        visit.say(*describe_hours(schedule.dayparts, schedule.zone, visit.now)),
        None if schedule.dayparts is None else count_hours(schedule.dayparts),
        tuple(islice(_list_windows(schedule, visit.now), SHOWN)),
        tuple(_list_notes(schedule, draft.state, visit.now)),
    )


def _list_windows(schedule: Schedule, now: datetime) -> Any:
    """In which it would run, its own end included."""
    since = max(schedule.start_at, now)
    until = min(schedule.end_at, since + AHEAD)
    for window in schedule.calendar.windows(since, until) if since < until else ():
        end = schedule.end_at if window.end is None else min(window.end, schedule.end_at)
        yield Window(window.start, end)


def _list_notes(schedule: Schedule, state: str, now: datetime) -> list[Pair]:
    if state not in (State.DRAFT, State.READY):
        return []
    if schedule.end_at <= now:
        return [
            ("Its end is past: it cannot be approved like this.", "종료가 지났습니다. 이대로는 승인할 수 없습니다.")
        ]
    if schedule.start_at <= now:
        return [("Its start is past: once approved it begins at once.", "시작이 지났습니다. 승인하면 바로 시작합니다.")]
    return []
