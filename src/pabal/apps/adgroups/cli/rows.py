"""Rows of what `pabal ad` shows: people see some columns, programs every field, with the seed's names in capitals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from pabal.apps.adgroups.actions.delayed import DelayedEvent
from pabal.apps.adgroups.actions.events import Explained
from pabal.apps.adgroups.cli.finding import CAMPAIGN, GROUP
from pabal.apps.adgroups.cli.words import FAILS, HOLDS, count_words, mark_words
from pabal.apps.adgroups.foresight import Stretch
from pabal.apps.adgroups.legacy.flags import Flag
from pabal.apps.adgroups.legacy.model import FlagKind, Row, Run
from pabal.apps.adgroups.legacy.shadow import Differing, Mismatch
from pabal.apps.adgroups.machine import Checked
from pabal.apps.adgroups.model.adgroups import AdGroup, Campaign, moved_to_json
from pabal.apps.adgroups.model.calculator import state_of
from pabal.apps.adgroups.sentences import (
    describe_hours,
    explain_state,
    next_event,
    show_brief,
    tell_condition,
    tell_refusal,
)
from pabal.apps.adgroups.serving.store import Check, Standing
from pabal.apps.adgroups.store.adgroups import Creative
from pabal.apps.adgroups.store.campaigns import Inventory
from pabal.engine import ids
from pabal.engine.transitions import Transition
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Lang, put

Names = Mapping[int | None, str]
# the seed's name of the sorted set that its delayed events lie in
DELAYED_KEY = "adgroup:delayed:events"


def show_group_id(ad_group_id: int) -> str:
    return ids.show(GROUP, ad_group_id)


def group_row(group: AdGroup, names: Names, lang: Lang, now: datetime) -> dict[str, Any]:
    """`state` is what is shown: the stored one, or the calculator's where a flag says so."""
    schedule = group.schedule
    coming = next_event(group, now)
    state = state_of(group, now)
    return {
        "id": show_group_id(group.id),
        "state": state.value,
        "status": state.upper(),
        "stored": group.state.upper(),
        "name": group.name,
        "reason": explain_state(replace(group, state=state), now).tell(lang, teller(group, now, lang)),
        "next_event": None if coming is None else coming[0].upper(),
        "next_at": None if coming is None else coming[1],
        "campaign": group.campaign_name,
        "campaign_id": ids.show(CAMPAIGN, group.campaign_id),
        "start_at": schedule.start_at,
        "end_at": schedule.end_at,
        "zone": schedule.zone,
        "hours": put(lang, describe_hours(schedule.dayparts, schedule.zone, now)),
        "dayparts": None if schedule.dayparts is None else schedule.dayparts.to_json(),
        "moved": moved_to_json(schedule.moved),
        "is_held": schedule.is_held,
        "creatives": group.creatives,
        "inventories": group.inventories,
        "org": names.get(group.unit_id),
        "unit_id": group.unit_id,
        "source": group.source.value,
        "version": group.version,
        "schedule_version": group.schedule_version,
        "legacy_id": group.legacy_id,
        "ready_at": group.ready_at,
        "ready_confirmed_at": group.ready_confirmed_at,
        "deleted_at": group.deleted_at,
        "created_by": group.created_by,
        "created_at": group.created_at,
        "updated_at": group.updated_at,
    }


def explained_row(one: Explained, group: AdGroup, now: datetime, lang: Lang) -> dict[str, Any]:
    tell = teller(group, now, lang)
    checked = checked_rows(one.checked, tell, lang)
    said = " · ".join(f"{HOLDS if each['holds'] else FAILS} {each['said']}" for each in checked)
    why = None if one.refusal is None else tell_refusal(one.refusal, lang, tell)
    return {
        "event": one.event.upper(),
        "is_allowed": one.is_allowed,
        "target": None if one.target is None else one.target.upper(),
        "conditions": said or why,
        "is_extension": one.is_extension,
        "refusal": None if one.refusal is None else one.refusal.reason,
        "why": why,
        "guard": one.guard,
        "checked": checked,
    }


def checked_rows(checked: Sequence[Checked], tell: Callable[[datetime], str], lang: Lang) -> list[dict[str, Any]]:
    return [
        {
            "condition": one.name,
            "holds": one.holds,
            "said": tell_condition(one, lang, tell),
            "values": {name: _plain(value) for name, value in one.values.items()},
        }
        for one in checked
    ]


def stretch_row(one: Stretch) -> dict[str, Any]:
    return {
        "state": one.state.value,
        "status": one.state.upper(),
        "since": one.since,
        "until": one.until,
        "by": None if one.by is None else one.by.upper(),
    }


def history_row(one: Transition) -> dict[str, Any]:
    return {
        "version": one.version,
        "at": one.at,
        "event": one.event.upper(),
        "before": None if one.source is None else one.source.upper(),
        "target": one.target.upper(),
        "actor": one.actor,
        "reason": one.reason,
        "cause": one.cause,
    }


def delayed_row(one: DelayedEvent, names: Names) -> dict[str, Any]:
    return {
        "due_at": one.timer.due_at,
        "event": one.timer.event.upper(),
        "id": show_group_id(one.group.id),
        "ad_group": one.group.name,
        "state": one.group.state.value,
        "status": one.group.state.upper(),
        "org": names.get(one.group.unit_id),
        "unit_id": one.group.unit_id,
        "schedule_version": one.group.schedule_version,
        "tries": one.timer.tries,
        "error": one.timer.error,
    }


def exported_row(one: DelayedEvent) -> dict[str, Any]:
    """As the seed keeps it: a member of a sorted set, by Unix time. One in quarantine has none."""
    due_at = one.timer.due_at
    return {
        "key": DELAYED_KEY,
        "member": {"adGroupId": show_group_id(one.group.id), "event": one.timer.event.upper()},
        "score": None if due_at is None else due_at.timestamp(),
        "dueAt": None if due_at is None else due_at.isoformat(),
        "scheduleVersion": one.group.schedule_version,
    }


def campaign_row(campaign: Campaign, names: Names) -> dict[str, Any]:
    return {
        "id": ids.show(CAMPAIGN, campaign.id),
        "campaign_state": campaign.state.value,
        "status": campaign.state.upper(),
        "name": campaign.name,
        "start_at": campaign.start_at,
        "end_at": campaign.end_at,
        "org": names.get(campaign.unit_id),
        "unit_id": campaign.unit_id,
        "created_at": campaign.created_at,
        "updated_at": campaign.updated_at,
    }


def inventory_row(one: Inventory, names: Names) -> dict[str, Any]:
    return {
        "id": one.id,
        "code": one.code,
        "name": one.name,
        "org": names.get(one.unit_id),
        "unit_id": one.unit_id,
        "created_at": one.created_at,
    }


def creative_row(one: Creative) -> dict[str, Any]:
    return {"id": one.id, "name": one.name, "url": one.url, "created_at": one.created_at}


def flag_row(one: Flag) -> dict[str, Any]:
    named = {FlagKind.ID: GROUP, FlagKind.CAMPAIGN: CAMPAIGN}
    of = ids.show(named[one.kind], one.value) if one.kind in named else one.value
    return {
        "flag": one.kind.value,
        "of": None if one.kind is FlagKind.NEW else of,
        "is_on": one.is_on,
        "set_by": one.set_by,
        "set_at": one.set_at,
    }


def mismatch_row(one: Mismatch) -> dict[str, Any]:
    return {
        "id": one.id,
        "ad_group": one.name,
        "ad_group_id": show_group_id(one.ad_group_id),
        "calculated": one.calculated.upper(),
        "stored": one.stored.upper(),
        "source": one.source.value,
        "cause": one.cause.value,
        "since": one.since,
        "seen_at": one.seen_at,
        "resolved_at": one.resolved_at,
        "decision": None if one.decision is None else one.decision.value,
        "decided_by": one.decided_by,
        "decided_at": one.decided_at,
    }


def differing_row(one: Differing) -> dict[str, Any]:
    return {
        "ad_group": one.group.name,
        "ad_group_id": show_group_id(one.group.id),
        "calculated": one.calculated.upper(),
        "stored": one.group.state.upper(),
        "source": one.group.source.value,
        "cause": one.cause.value,
    }


def run_row(run: Run, shell: Shell) -> dict[str, Any]:
    """Counts in words for people, as they are for programs."""
    row = {**asdict(run), "run_state": run.state.value, "mode": None if run.mode is None else run.mode.value}
    del row["state"]
    if shell.output == "table":
        row |= {name: count_words(row[name], shell.lang) for name in ("counts", "states", "marks", "refusals")}
    return row


def legacy_row(one: Row, shell: Shell) -> dict[str, Any]:
    return {
        **asdict(one),
        "state": None if one.state is None else one.state.value,
        "stored": None if one.state is None else one.state.upper(),
        "marks": mark_words(one.marks, shell.lang) if shell.output == "table" else one.marks,
        "outcome": None if one.outcome is None else one.outcome.value,
        "ad_group": None if one.ad_group_id is None else show_group_id(one.ad_group_id),
    }


def standing_row(one: Standing) -> dict[str, Any]:
    return asdict(one)


def check_row(one: Check) -> dict[str, Any]:
    return {**asdict(one), "found": one.found}


def teller(group: AdGroup, now: datetime, lang: Lang) -> Callable[[datetime], str]:
    """How sentences about it write moments: on its own clock."""
    return lambda moment: show_brief(moment, now, group.schedule.zone, lang)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
