from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

import pytest

from pabal.apps.adgroups.labels import STATES
from pabal.apps.adgroups.legacy.old_rows import Old, decide
from pabal.apps.adgroups.machine import AD_GROUP, EXTENSION, Guard, deletable, load_subjects, pausable
from pabal.apps.adgroups.model.adgroups import Event, Schedule, State
from pabal.apps.adgroups.model.calculator import Dates, calculate, to_state
from pabal.engine.machine import Machine, Refusal, move
from tests.apps.adgroups.groups import BY_DAY, BY_NIGHT, DAY, HOUR, NOON, SCHEDULE, a_group

S, E = State, Event
BEFORE = replace(SCHEDULE, start_at=NOON + DAY)
ENDED = replace(SCHEDULE, end_at=NOON)
OFF_HOURS = replace(SCHEDULE, dayparts=BY_NIGHT)
IN_HOURS = replace(SCHEDULE, dayparts=BY_DAY)

# The list's matrix as settled: every pair not here is refused.
MATRIX: dict[tuple[State, Event], State] = {
    (S.DRAFT, E.COMPLETE_SETUP): S.READY,
    (S.DRAFT, E.DELETE): S.DELETED,
    (S.READY, E.REJECT): S.DRAFT,
    (S.READY, E.APPROVE): S.APPROVED,
    (S.READY, E.DELETE): S.DELETED,
    (S.APPROVED, E.START): S.RUNNING,
    (S.APPROVED, E.EXPIRE): S.EXPIRED,
    (S.APPROVED, E.PAUSE): S.PAUSED,
    (S.APPROVED, E.DELETE): S.DELETED,
    (S.RUNNING, E.PAUSE): S.PAUSED,
    (S.RUNNING, E.DAILY_END): S.PENDING,
    (S.RUNNING, E.EXPIRE): S.EXPIRED,
    (S.RUNNING, E.DELETE): S.DELETED,
    (S.PAUSED, E.RESUME): S.RUNNING,
    (S.PAUSED, E.EXPIRE): S.EXPIRED,
    (S.PAUSED, E.DELETE): S.DELETED,
    (S.PENDING, E.DAILY_START): S.RUNNING,
    (S.PENDING, E.EXPIRE): S.EXPIRED,
    (S.PENDING, E.PAUSE): S.PAUSED,
    (S.PENDING, E.DELETE): S.DELETED,
}
# when an event's guard lets it through
FITTING = {E.EXPIRE: ENDED, E.DAILY_END: OFF_HOURS, E.DAILY_START: IN_HOURS}


def test_there_are_eight_states_and_no_other() -> None:
    names = "DRAFT READY APPROVED RUNNING PAUSED PENDING EXPIRED DELETED"

    assert [state.upper() for state in AD_GROUP.states] == names.split()


READY_WAY = (E.COMPLETE_SETUP,)
APPROVED_WAY = (*READY_WAY, E.APPROVE)
STARTED_WAY = (*APPROVED_WAY, E.START)


@pytest.mark.parametrize(
    ("state", "way", "schedule"),
    [
        (S.DRAFT, (), SCHEDULE),
        pytest.param(S.READY, READY_WAY, SCHEDULE, marks=pytest.mark.req("E-23")),
        pytest.param(S.APPROVED, APPROVED_WAY, SCHEDULE, marks=pytest.mark.req("E-24")),
        pytest.param(S.RUNNING, STARTED_WAY, SCHEDULE, marks=pytest.mark.req("E-25")),
        pytest.param(S.PAUSED, (*STARTED_WAY, E.PAUSE), SCHEDULE, marks=pytest.mark.req("E-26")),
        (S.PENDING, STARTED_WAY, OFF_HOURS),
        pytest.param(S.EXPIRED, (*STARTED_WAY, E.EXPIRE), SCHEDULE, marks=pytest.mark.req("E-28")),
        pytest.param(S.DELETED, (E.DELETE,), SCHEDULE, marks=pytest.mark.req("E-29")),
    ],
)
def test_each_state_is_reached_by_what_it_stands_for(state: State, way: tuple[Event, ...], schedule: Schedule) -> None:
    group = a_group(AD_GROUP.initial, schedule)

    for event in way:
        moment = schedule.end_at if event is E.EXPIRE else NOON
        group = replace(group, state=AD_GROUP.decide(group, event, moment))

    assert group.state == state


ROWS = dict(zip(State, ("E-40", "E-41", "E-42", "E-43", "E-44", "E-45", "E-46", "E-47"), strict=True))
LINES = {
    E.COMPLETE_SETUP: "E-30",
    E.APPROVE: "E-31",
    E.REJECT: "E-32",
    E.PAUSE: "E-33",
    E.RESUME: "E-34",
    E.DELETE: "E-35",
    E.START: "E-36",
    E.EXPIRE: "E-37",
    E.DAILY_START: "E-38",
    E.DAILY_END: "E-39",
}


@pytest.mark.req("E-48")
@pytest.mark.parametrize("event", [pytest.param(one, marks=pytest.mark.req(line)) for one, line in LINES.items()])
@pytest.mark.parametrize("state", [pytest.param(one, marks=pytest.mark.req(line)) for one, line in ROWS.items()])
def test_each_event_does_in_each_state_what_the_matrix_says(state: State, event: Event) -> None:
    decided = AD_GROUP.decide(a_group(state, FITTING.get(event, SCHEDULE)), event, NOON)

    if (state, event) in MATRIX:
        assert decided == MATRIX[state, event]
    else:
        assert isinstance(decided, Refusal)
        assert decided.reason


@pytest.mark.req("E-76", "E-96")
def test_it_is_declared_in_one_place_with_its_first_and_last_states() -> None:
    assert AD_GROUP.initial == State.DRAFT
    assert set(AD_GROUP.final) == {State.EXPIRED, State.DELETED}
    assert {(source, move.event) for move in AD_GROUP.moves for source in move.sources} == MATRIX.keys()


@pytest.mark.req("E-28", "E-29", "E-46", "E-47")
@pytest.mark.parametrize("state", AD_GROUP.final)
def test_what_is_over_waits_for_nothing(state: State) -> None:
    assert list(AD_GROUP.due(state, a_group(state), NOON)) == []


@pytest.mark.req("E-27")
@pytest.mark.parametrize(
    ("wall", "state"),
    [("08:59:59.999999", S.PENDING), ("09:00", S.RUNNING), ("17:59:59.999999", S.RUNNING), ("18:00", S.PENDING)],
)
def test_outside_its_daily_hours_it_is_pending_to_the_moment_and_called_off_hours(wall: str, state: State) -> None:
    now = datetime.fromisoformat(f"2026-11-18T{wall}+09:00")
    old = Dates(SCHEDULE.start_at, SCHEDULE.end_at, NOON - 2 * DAY, NOON - 2 * DAY)

    decided = [
        AD_GROUP.decide(a_group(one, IN_HOURS), by, now) for one, by in ((S.APPROVED, E.START), (S.PAUSED, E.RESUME))
    ]

    assert decided == [state, state]
    assert to_state(calculate(old, now), old, IN_HOURS.calendar, now) is state
    assert STATES[S.PENDING] == ("off-hours", "일별 대기")
    # what the old system called so was paused by hand
    assert decide(Old(old, "Asia/Seoul", None, "PENDING"), now).state == S.PAUSED


GUARDS = {
    E.COMPLETE_SETUP: {"setup_complete": ["has_creatives", "has_inventory"]},
    E.APPROVE: {"approvable": ["campaign_is_open", "campaign_lasts", "has_not_ended"]},
    E.REJECT: {},
    E.START: {"startable": ["has_begun", "has_not_ended"]},
    E.EXPIRE: {"expirable": ["has_ended"]},
    E.DAILY_START: {"in_hours": ["has_not_ended", "is_in_hours"]},
    E.DAILY_END: {"off_hours": ["is_off_hours"]},
    E.PAUSE: {"pausable": ["is_not_paused"], "pausable_early": ["may_pause_early", "is_not_paused"]},
    E.RESUME: {"resumable": ["has_not_ended"]},
    E.DELETE: {"deletable": ["is_not_over"]},
}


@pytest.mark.req("E-20")
@pytest.mark.parametrize("event", Event)
def test_every_rule_of_an_event_is_a_condition_of_its_guard(event: Event) -> None:
    guards = [cast(Guard, one.guard) for one in AD_GROUP.moves if one.event == event and one.guard is not None]

    assert {one.__name__: [each.name for each in one.conditions] for one in guards} == GUARDS[event]


@pytest.mark.req("E-15", "E-20")
@pytest.mark.parametrize(
    ("state", "event", "changes", "reason"),
    [
        pytest.param(S.DRAFT, E.COMPLETE_SETUP, {"creatives": 0}, "has_creatives", marks=pytest.mark.req("E-63")),
        pytest.param(S.DRAFT, E.COMPLETE_SETUP, {"inventories": 0}, "has_inventory", marks=pytest.mark.req("E-63")),
        pytest.param(
            S.READY, E.APPROVE, {"campaign_state": "closed"}, "campaign_is_open", marks=pytest.mark.req("E-64")
        ),
        pytest.param(S.READY, E.APPROVE, {"campaign_end_at": NOON}, "campaign_lasts", marks=pytest.mark.req("E-64")),
        pytest.param(S.READY, E.APPROVE, {"schedule": ENDED}, "has_not_ended", marks=pytest.mark.req("E-64")),
        pytest.param(S.APPROVED, E.START, {"schedule": BEFORE}, "has_begun", marks=pytest.mark.req("E-65")),
        pytest.param(S.APPROVED, E.START, {"schedule": ENDED}, "has_not_ended", marks=pytest.mark.req("E-65")),
        pytest.param(S.RUNNING, E.EXPIRE, {}, "has_ended", marks=pytest.mark.req("E-66")),
        (S.PENDING, E.DAILY_START, {"schedule": OFF_HOURS}, "is_in_hours"),
        (S.RUNNING, E.DAILY_END, {"schedule": IN_HOURS}, "is_off_hours"),
        pytest.param(S.PAUSED, E.RESUME, {"schedule": ENDED}, "has_not_ended", marks=pytest.mark.req("E-68")),
        (S.PENDING, E.PAUSE, {"is_strict": True}, "may_pause_early"),
        (S.APPROVED, E.PAUSE, {"is_strict": True}, "may_pause_early"),
    ],
)
def test_a_guard_refuses_by_the_name_of_what_does_not_hold(
    state: State, event: Event, changes: dict[str, Any], reason: str
) -> None:
    decided = AD_GROUP.decide(a_group(state, **changes), event, NOON)

    assert isinstance(decided, Refusal)
    assert decided.reason == reason
    assert decided.values


@pytest.mark.req("E-67")
def test_what_is_paused_cannot_be_paused_again() -> None:
    [checked] = pausable.report(a_group(S.PAUSED), NOON)

    assert isinstance(AD_GROUP.decide(a_group(S.PAUSED), E.PAUSE, NOON), Refusal)
    assert (checked.name, checked.holds, checked.values) == ("is_not_paused", False, {"state": "paused"})


@pytest.mark.req("E-69")
@pytest.mark.parametrize("state", AD_GROUP.final)
def test_what_is_over_cannot_be_deleted(state: State) -> None:
    [checked] = deletable.report(a_group(state), NOON)

    assert isinstance(AD_GROUP.decide(a_group(state), E.DELETE, NOON), Refusal)
    assert (checked.name, checked.holds) == ("is_not_over", False)


@pytest.mark.req("E-66")
def test_at_its_end_it_has_ended() -> None:
    just_before = replace(SCHEDULE, end_at=NOON + HOUR / 3_600_000)

    assert AD_GROUP.decide(a_group(S.RUNNING, ENDED), E.EXPIRE, NOON) == S.EXPIRED
    assert isinstance(AD_GROUP.decide(a_group(S.RUNNING, just_before), E.EXPIRE, NOON), Refusal)


@pytest.mark.req("E-34", "E-36", "E-44")
@pytest.mark.parametrize(
    ("state", "event", "schedule", "target"),
    [
        (S.APPROVED, E.START, IN_HOURS, S.RUNNING),
        (S.APPROVED, E.START, OFF_HOURS, S.PENDING),
        (S.PAUSED, E.RESUME, IN_HOURS, S.RUNNING),
        (S.PAUSED, E.RESUME, OFF_HOURS, S.PENDING),
        (S.PAUSED, E.RESUME, BEFORE, S.APPROVED),
        (S.PAUSED, E.RESUME, replace(OFF_HOURS, start_at=NOON + DAY), S.APPROVED),
    ],
)
def test_start_and_resume_choose_where_they_lead_by_date_and_hours(
    state: State, event: Event, schedule: Schedule, target: State
) -> None:
    assert AD_GROUP.decide(a_group(state, schedule), event, NOON) == target


@pytest.mark.req("E-33", "E-45")
def test_only_the_extension_is_what_the_strict_matrix_takes_away() -> None:
    taken = {
        (state, event)
        for state, event in MATRIX
        if isinstance(
            AD_GROUP.decide(a_group(state, FITTING.get(event, SCHEDULE), is_strict=True), event, NOON), Refusal
        )
    }

    assert taken == set(EXTENSION)


TONIGHT, TOMORROW = NOON + 6 * HOUR, NOON + 21 * HOUR


@pytest.mark.req("E-13", "E-55", "E-56", "E-58", "E-72")
@pytest.mark.parametrize(
    ("state", "schedule", "due"),
    [
        (S.DRAFT, IN_HOURS, {}),
        (S.READY, IN_HOURS, {}),
        (S.APPROVED, BEFORE, {E.START: BEFORE.start_at, E.EXPIRE: BEFORE.end_at}),
        (S.APPROVED, replace(BEFORE, is_held=True), {E.EXPIRE: BEFORE.end_at}),
        (S.RUNNING, SCHEDULE, {E.EXPIRE: SCHEDULE.end_at}),
        (S.RUNNING, IN_HOURS, {E.DAILY_END: TONIGHT, E.EXPIRE: SCHEDULE.end_at}),
        (S.RUNNING, OFF_HOURS, {E.DAILY_END: NOON, E.EXPIRE: SCHEDULE.end_at}),
        (S.RUNNING, replace(IN_HOURS, end_at=TONIGHT), {E.EXPIRE: TONIGHT}),
        (S.PENDING, OFF_HOURS, {E.DAILY_START: TONIGHT, E.EXPIRE: SCHEDULE.end_at}),
        (S.PENDING, IN_HOURS, {E.DAILY_START: NOON, E.EXPIRE: SCHEDULE.end_at}),
        (S.PENDING, replace(OFF_HOURS, end_at=TONIGHT), {E.EXPIRE: TONIGHT}),
        (S.PAUSED, IN_HOURS, {E.EXPIRE: SCHEDULE.end_at}),
    ],
)
def test_each_state_declares_what_it_waits_for_and_nothing_by_the_day_after_the_end(
    state: State, schedule: Schedule, due: dict[Event, datetime]
) -> None:
    assert dict(AD_GROUP.due(state, a_group(state, schedule), NOON)) == due


@pytest.mark.req("E-37")
def test_of_an_end_and_a_daily_boundary_at_one_moment_the_end_goes_first() -> None:
    order = list(AD_GROUP.events)

    assert order.index(E.EXPIRE) < min(order.index(E.DAILY_START), order.index(E.DAILY_END))


@pytest.mark.req("E-49", "E-100")
def test_its_diagram_names_every_state_and_every_event() -> None:
    drawn = AD_GROUP.diagram()

    for name in (*State, *Event):
        assert name in drawn


@pytest.mark.req("E-97")
def test_a_state_and_its_events_are_added_by_declaring_them() -> None:
    longer = Machine(
        name="longer",
        table=AD_GROUP.table,
        states=StrEnum("Longer", {**{one.name: one.value for one in State}, "BLOCKED": "blocked"}),
        initial=AD_GROUP.initial,
        final=AD_GROUP.final,
        moves=(*AD_GROUP.moves, move("block", S.RUNNING, "blocked"), move("unblock", "blocked", S.PAUSED)),
        timers=AD_GROUP.timers,
        loader=load_subjects,
    )

    assert longer.decide(a_group(S.RUNNING), "block", NOON) == "blocked"
    assert longer.decide(a_group("blocked"), "unblock", NOON) == S.PAUSED
    assert "blocked --> paused : unblock" in longer.diagram()
    for (state, event), target in MATRIX.items():
        assert longer.decide(a_group(state, FITTING.get(event, SCHEDULE)), event, NOON) == target
