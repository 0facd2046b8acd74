"""A machine is data: mistakes are found at import, decisions are pure, the diagram is drawn from the declaration."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum

import pytest

from pabal.engine.machine import Machine, MachineMistaken, Refusal, TimerNotDeclared, arms, choose, move
from tests.support.adgroup import AD_GROUP, OPEN, AdGroup, Event, State, declare, is_inside_day

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GROUP = AdGroup(
    id=1,
    unit_id=None,
    state="draft",
    version=1,
    has_creatives=True,
    start_at=NOON,
    end_at=NOON + timedelta(days=1),
    day_from=None,
    day_until=None,
    note=None,
)


def without(event: Event) -> tuple[object, ...]:
    return tuple(one for one in AD_GROUP.moves if one.event != event)


def before_start(group: AdGroup, now: datetime) -> bool:
    return now < group.start_at


AFTER_ANOTHER = choose(before_start, State.APPROVED, choose(is_inside_day, State.RUNNING, State.PENDING))


@arms("start")
def start_only(group: AdGroup, now: datetime) -> dict[str, datetime]:
    return {"start": now}


class Hyphened(StrEnum):
    ONE = "one-and-only"
    TWO = "two"


class Reserved(StrEnum):
    ONE = "one"
    TIMER_REFUSED = "timer_refused"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"initial": "nowhere"}, "the initial state 'nowhere' is unknown"),
        ({"final": ("gone",)}, "the final state 'gone' is unknown"),
        ({"moves": (*AD_GROUP.moves, move("jump", State.DRAFT, "moon"))}, "jump names the unknown state 'moon'"),
        ({"moves": (*AD_GROUP.moves, move("jump", "moon", State.DRAFT))}, "jump names the unknown state 'moon'"),
        ({"moves": (*AD_GROUP.moves, move("jump", (), State.DRAFT))}, "jump has no source"),
        ({"moves": (*AD_GROUP.moves, move("revive", State.DELETED, State.DRAFT))}, "out of the final state deleted"),
        ({"moves": (*AD_GROUP.moves, move(Event.DELETE, State.DRAFT, State.READY))}, "two moves for delete in draft"),
        ({"final": (State.EXPIRED,)}, "nothing leads out of deleted"),
        ({"moves": without(Event.DELETE)}, "nothing leads to deleted"),
        ({"timers": {"nowhere": start_only}}, "timers for the unknown state 'nowhere'"),
        ({"timers": {State.DELETED: start_only}}, "timers for the final state deleted"),
        ({"timers": {State.DRAFT: start_only}}, "the timers of draft arm start, which it has no move for"),
        ({"timers": {State.APPROVED: start_only.function}}, "do not say which events they arm"),
        ({"effects": {"nowhere": None}}, "an effect for the unknown state 'nowhere'"),
        ({"table": 'ad_group"; drop table x; --'}, "is not a plain name or schema.name"),
        ({"table": "a.b.c"}, "is not a plain name or schema.name"),
        ({"name": "Ad Group"}, "the name 'Ad Group' is not a lower-case word"),
        ({"moves": (*AD_GROUP.moves, move("Jump!", State.DRAFT, State.READY))}, "'Jump!' is not a lower-case word"),
    ],
)
def test_a_mistake_in_a_machine_is_named_when_it_is_declared(changes: dict[str, object], said: str) -> None:
    with pytest.raises(MachineMistaken) as mistake:
        declare(**changes)

    assert said in mistake.value.detail


@pytest.mark.parametrize("states", [Hyphened, Reserved])
def test_state_names_that_could_not_be_written_or_would_clash_are_refused(states: type[StrEnum]) -> None:
    one, two = states

    with pytest.raises(MachineMistaken):
        declare(states=states, initial=one, final=(two,), moves=(move("go", one, two),), timers={}, effects={})


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(MachineMistaken) as mistake:
        declare(initial="nowhere", final=("gone",))

    assert "nowhere" in mistake.value.detail
    assert "gone" in mistake.value.detail


def test_a_choice_makes_both_its_targets_reachable() -> None:
    machine = declare(moves=tuple(one for one in AD_GROUP.moves if one.event != Event.DAILY_END), timers={})

    assert machine.decide(replace(GROUP, state="approved"), Event.START, NOON) == "running"


def test_an_event_leads_to_the_declared_state() -> None:
    assert AD_GROUP.decide(GROUP, Event.COMPLETE_SETUP, NOON) == "ready"


def test_a_guard_says_why_it_refuses_with_the_values_it_compared() -> None:
    early = NOON - timedelta(minutes=1)

    refusal = AD_GROUP.decide(replace(GROUP, state="approved"), Event.START, early)

    assert refusal == Refusal("too_early", {"now": early, "start_at": NOON})


def test_an_event_without_a_move_here_is_refused_with_the_state() -> None:
    refusal = AD_GROUP.decide(GROUP, Event.PAUSE, NOON)

    assert refusal == Refusal("move_not_allowed", {"event": "pause", "state": "draft"})


@pytest.mark.parametrize(("hour", "target"), [(8, "pending"), (9, "running"), (17, "running"), (18, "pending")])
def test_a_choice_is_made_at_the_moment_of_the_move(hour: int, target: str) -> None:
    group = replace(GROUP, state="approved", start_at=NOON - timedelta(days=1), day_from=time(9), day_until=time(18))

    assert AD_GROUP.decide(group, Event.START, NOON.replace(hour=hour)) == target


@pytest.mark.parametrize(("hour", "target"), [(8, "approved"), (12, "running"), (20, "pending")])
def test_of_a_choice_after_a_choice_the_first_that_holds_counts(hour: int, target: str) -> None:
    machine = declare(moves=(*without(Event.RESUME), move(Event.RESUME, State.PAUSED, AFTER_ANOTHER)))
    group = replace(GROUP, state="paused", start_at=NOON.replace(hour=10), day_from=time(10), day_until=time(18))

    assert machine.decide(group, Event.RESUME, NOON.replace(hour=hour)) == target


def test_every_branch_of_a_choice_after_a_choice_is_drawn_with_what_led_there() -> None:
    machine = declare(moves=(*without(Event.RESUME), move(Event.RESUME, State.PAUSED, AFTER_ANOTHER)))

    drawn = [line.strip() for line in machine.diagram().splitlines() if "resume" in line]

    assert drawn == [
        "paused --> approved : resume if before_start",
        "paused --> running : resume unless before_start, if is_inside_day",
        "paused --> pending : resume unless before_start, is_inside_day",
    ]


def test_a_final_state_has_no_timers() -> None:
    assert AD_GROUP.due("expired", GROUP, NOON) == []


def test_a_moment_that_is_not_there_arms_nothing() -> None:
    assert AD_GROUP.due("running", GROUP, NOON) == [("expire", GROUP.end_at)]


@pytest.mark.parametrize("answer", [{"expire": NOON.replace(tzinfo=None)}, {"delete": NOON}])
def test_timers_may_arm_only_what_they_declare_and_only_for_moments_with_a_zone(answer: dict[str, datetime]) -> None:
    machine = declare(timers={State.PAUSED: arms(Event.EXPIRE)(lambda group, now: answer)})

    with pytest.raises(TimerNotDeclared):
        machine.due("paused", GROUP, NOON)


def test_explain_answers_for_every_event() -> None:
    explained = {one.event: one for one in AD_GROUP.explain(replace(GROUP, has_creatives=False), NOON)}

    assert set(explained) == set(Event)
    assert explained["delete"].allowed
    assert explained["delete"].target == "deleted"
    assert explained["complete_setup"].refusal == Refusal("no_creatives", {"creatives": 0})
    assert explained["approve"].refusal == Refusal("move_not_allowed", {"event": "approve", "state": "draft"})


def test_the_diagram_shows_every_move_guard_choice_and_timer() -> None:
    lines = [line.strip() for line in AD_GROUP.diagram().splitlines()]

    assert lines[0] == "stateDiagram-v2"
    assert lines[1] == "[*] --> draft"
    assert "draft --> ready : complete_setup [setup_is_complete]" in lines
    assert "approved --> running : ⏰ start [has_started] if is_inside_day" in lines
    assert "approved --> pending : ⏰ start [has_started] unless is_inside_day" in lines
    assert "running --> paused : pause" in lines
    assert {f"{state} --> deleted : delete" for state in OPEN} <= set(lines)
    assert {"expired --> [*]", "deleted --> [*]"} <= set(lines)


def test_the_diagram_highlights_where_a_subject_is() -> None:
    assert "class running current" in AD_GROUP.diagram(current="running")
    assert "current" not in AD_GROUP.diagram()


def test_a_machine_needs_no_timers_and_no_effects() -> None:
    class Light(StrEnum):
        ON = "on"
        OFF = "off"

    lamp = Machine(
        name="lamp",
        table="lamp",
        states=Light,
        initial=Light.OFF,
        final=(),
        moves=(
            move("press", Light.OFF, choose(is_inside_day, Light.ON, Light.OFF)),
            move("press", Light.ON, Light.OFF),
        ),
        loader=AD_GROUP.loader,
    )

    assert lamp.decide(replace(GROUP, state="on"), "press", NOON) == "off"
    assert lamp.events == ("press",)
