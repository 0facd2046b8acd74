"""Rows as their views: what is shown of each, in the seed's words and the reader's language."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pabal.apps.adgroups.actions.delayed import DelayedEvent
from pabal.apps.adgroups.actions.events import Explained
from pabal.apps.adgroups.foresight import Stretch
from pabal.apps.adgroups.labels import CAUSES
from pabal.apps.adgroups.legacy.flags import Flag
from pabal.apps.adgroups.legacy.model import FlagKind, Row, Run
from pabal.apps.adgroups.legacy.shadow import Differing, Mismatch
from pabal.apps.adgroups.machine import Checked
from pabal.apps.adgroups.model.adgroups import DELAYED_KEY, AdGroup, Campaign, Inventory, State
from pabal.apps.adgroups.model.calculator import state_of
from pabal.apps.adgroups.model.dayparts import DayParts, show_clock
from pabal.apps.adgroups.resources.campaigns import CampaignView, InventoryView
from pabal.apps.adgroups.resources.events import (
    BulkResultView,
    ChangeView,
    ConditionView,
    DelayedView,
    ExplainedView,
    MemberView,
    SentView,
    StatusAtView,
    StretchView,
)
from pabal.apps.adgroups.resources.groups import AdGroupView, CreativeView, MovedView
from pabal.apps.adgroups.resources.migration import (
    FLAG,
    DifferingView,
    FlagName,
    FlagSetView,
    FlagView,
    MismatchView,
    RunRowView,
    RunView,
)
from pabal.apps.adgroups.resources.names import show_campaign_id, show_event, show_id, show_status
from pabal.apps.adgroups.resources.serving import ServingCheckView, ServingView
from pabal.apps.adgroups.sentences import (
    describe_hours,
    explain_state,
    next_event,
    tell_condition,
    tell_refusal,
    teller,
)
from pabal.apps.adgroups.serving.actions import Described
from pabal.apps.adgroups.store.adgroups import Creative
from pabal.engine import ids
from pabal.engine.machine import Refusal
from pabal.engine.transitions import Transition
from pabal.platform.language.pairs import put
from pabal.platform.resources import Viewer


def view_group(group: AdGroup, viewer: Viewer) -> AdGroupView:
    return AdGroupView.of(group, **_shown(group, viewer))


def view_creative(one: Creative, viewer: Viewer) -> CreativeView:
    return CreativeView.of(one)


def view_campaign(campaign: Campaign, viewer: Viewer) -> CampaignView:
    return CampaignView.of(campaign, id=show_campaign_id(campaign.id), status=campaign.state.upper())


def view_inventory(one: Inventory, viewer: Viewer) -> InventoryView:
    return InventoryView.of(one)


def view_explained(one: Explained, group: AdGroup, viewer: Viewer) -> ExplainedView:
    """`viewer.now` is the moment it is explained for; sentences are on the ad group's own clock."""
    tell = teller(viewer.now, group.schedule.zone, viewer.lang)
    return ExplainedView(
        event=show_event(one.event),
        allowed=one.is_allowed,
        target=None if one.target is None else show_status(one.target),
        code=None if one.refusal is None else one.refusal.reason,
        detail=None if one.refusal is None else tell_refusal(one.refusal, viewer.lang, tell),
        guard=one.guard,
        report=view_report(one.checked, group, viewer),
        is_extension=one.is_extension,
    )


def view_report(checked: Sequence[Checked], group: AdGroup, viewer: Viewer) -> list[ConditionView]:
    tell = teller(viewer.now, group.schedule.zone, viewer.lang)
    return [
        ConditionView(
            code=one.name,
            holds=one.holds,
            values=show_values(one.values),
            detail=tell_condition(one, viewer.lang, tell),
        )
        for one in checked
    ]


def view_result(ad_group_id: int, ended: State | Refusal, group: AdGroup | None, viewer: Viewer) -> BulkResultView:
    return BulkResultView(**_result(ad_group_id, ended, group, viewer))


def view_sent(before: AdGroup, after: AdGroup, one: Explained, viewer: Viewer) -> SentView:
    ended = after.state if one.refusal is None else one.refusal
    return SentView(
        **_result(before.id, ended, after, viewer),
        name=before.name,
        before=show_status(before.state),
        version=after.version,
        report=view_report(one.checked, before, viewer),
    )


def view_stretch(one: Stretch) -> StretchView:
    event = None if one.by is None else one.by.upper()
    return StretchView(status=show_status(one.state), since=one.since, until=one.until, event=event)


def view_change(one: Transition) -> ChangeView:
    source = None if one.source is None else show_status(one.source)
    return ChangeView.of(one, event=one.event.upper(), source=source, target=show_status(one.target))


def view_status_at(group: AdGroup, at: datetime, state: str | None) -> StatusAtView:
    return StatusAtView(
        id=show_id(group.id), name=group.name, at=at, status=None if state is None else show_status(state)
    )


def view_delayed(one: DelayedEvent, viewer: Viewer) -> DelayedView:
    shown, timer, group = show_id(one.group.id), one.timer, one.group
    event: Any = timer.event.upper()
    return DelayedView(
        key=DELAYED_KEY,
        member=MemberView(adGroupId=shown, event=event),
        score=one.score,
        scheduled_key=f"adgroup:scheduled:{shown}",
        lock_key=f"adgroup:event:lock:{shown}",
        due_at=timer.due_at,
        late_seconds=one.late_seconds(viewer.now),
        schedule_version=group.schedule_version,
        tries=timer.tries,
        error=timer.error,
        name=group.name,
        status=show_status(group.state),
        unit_id=group.unit_id,
    )


def view_flag(flag: Flag, viewer: Viewer) -> FlagView:
    return FlagView.of(flag, **_about_flag(flag))


def view_flag_set(flag: Flag, changed: int, viewer: Viewer) -> FlagSetView:
    return FlagSetView.of(flag, **_about_flag(flag), changed=changed)


def view_mismatch(one: Mismatch, viewer: Viewer) -> MismatchView:
    return MismatchView.of(
        one,
        ad_group=show_id(one.ad_group_id),
        calculated=show_status(one.calculated),
        stored=show_status(one.stored),
        cause=str(one.cause),
        detail=put(viewer.lang, CAUSES[one.cause]),
    )


def view_differing(one: Differing) -> DifferingView:
    return DifferingView(
        ad_group=show_id(one.group.id),
        name=one.group.name,
        calculated=show_status(one.calculated),
        stored=show_status(one.group.state),
        source=one.group.source.value,
        cause=str(one.cause),
    )


def view_run(run: Run, viewer: Viewer) -> RunView:
    return RunView.of(
        run,
        state=str(run.state),
        mode=None if run.mode is None else run.mode.upper(),
        file=None if run.file_id is None else ids.show("file", run.file_id),
        states={state.upper(): count for state, count in run.states.items()},
    )


def view_run_row(row: Row, viewer: Viewer) -> RunRowView:
    return RunRowView.of(
        row,
        status=None if row.state is None else show_status(row.state),
        outcome=None if row.outcome is None else str(row.outcome),
        ad_group=None if row.ad_group_id is None else show_id(row.ad_group_id),
    )


def view_serving(described: Described) -> ServingView:
    checks = [ServingCheckView.of(one) for one in described.checks]
    return ServingView.of(described.standing, checks=checks)


def show_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """States inside are the seed's outside."""
    return {
        name: value.upper() if name in ("state", "campaign_state", "event") else value for name, value in values.items()
    }


def _shown(group: AdGroup, viewer: Viewer) -> dict[str, Any]:
    """What is not shown as its row has it."""
    schedule, now, lang = group.schedule, viewer.now, viewer.lang
    first, last = _daily(schedule.dayparts)
    coming, seen = next_event(group, now), replace(group, state=state_of(group, now))
    return {
        "id": show_id(group.id),
        "status": show_status(seen.state),
        "stored_status": show_status(group.state),
        "campaign": show_campaign_id(group.campaign_id),
        "start_at": schedule.start_at,
        "end_at": schedule.end_at,
        "zone": schedule.zone,
        "dayparts": None if schedule.dayparts is None else schedule.dayparts.to_json(),
        "daily_start_time": first,
        "daily_end_time": last,
        "moved": [MovedView.of(one, event=one.event.upper()) for one in schedule.moved],
        "is_held": schedule.is_held,
        "source": group.source.value,
        "reason": explain_state(seen, now).tell(lang, teller(now, schedule.zone, lang)),
        "hours": put(lang, describe_hours(schedule.dayparts, schedule.zone, now)),
        "next_event": None if coming is None else show_event(coming[0]),
        "next_at": None if coming is None else coming[1],
    }


def _about_flag(flag: Flag) -> dict[str, Any]:
    return {
        "name": FLAG,
        "kind": FlagName(flag.kind.upper()),
        "ad_group": show_id(flag.value) if flag.kind is FlagKind.ID else None,
        "campaign": show_campaign_id(flag.value) if flag.kind is FlagKind.CAMPAIGN else None,
        "percent": flag.value if flag.kind is FlagKind.PERCENT else None,
    }


def _daily(dayparts: DayParts | None) -> tuple[str | None, str | None]:
    if dayparts is None or len(set(dayparts.days)) != 1 or len(dayparts.days[0]) != 1:
        return None, None
    [span] = dayparts.days[0]
    return show_clock(span.start), show_clock(span.end)


def _result(ad_group_id: int, ended: State | Refusal, group: AdGroup | None, viewer: Viewer) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": show_id(ad_group_id), "code": None, "values": {}, "detail": None}
    if not isinstance(ended, Refusal):
        return {**shown, "result": "moved", "status": show_status(ended)}
    seen = group if ended.reason != "not_found" else None
    tell = str if seen is None else teller(viewer.now, seen.schedule.zone, viewer.lang)
    return {
        **shown,
        "result": "refused",
        "status": None if seen is None else show_status(seen.state),
        "code": ended.reason,
        "values": show_values(ended.values),
        "detail": tell_refusal(ended, viewer.lang, tell),
    }
