"""Machines: which states there are, who is in which, and what may happen next."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.platform.resources import View, field

if TYPE_CHECKING:
    from pabal.engine.listing import SubjectLine
    from pabal.engine.machine import Explained, Machine


class MachineView(View):
    """A declared machine and the app it is of."""

    name: str = field(("Name", "이름"), example="alert")
    app: str = field(("App", "앱"), example="platform")
    states: list[str] = field(("States", "상태들"), example=["firing", "resolved"])
    initial: str = field(("Begins as", "처음 상태"), example="firing")
    final: list[str] = field(("Ends as", "끝 상태"), example=["resolved"])
    events: list[str] = field(("Events", "이벤트들"), example=["resolve"])


class WholeMachineView(MachineView):
    """`diagram` is Mermaid text; `counts` are the subjects in each state, counted up to 10,000."""

    counts: dict[str, int] = field(("Counts", "상태별 수"), example={"firing": 1})
    diagram: str = field(("Diagram", "그림"), example="stateDiagram-v2\n    [*] --> firing\n")


class SubjectStateView(View):
    """In which state a subject is."""

    id: str = field(("ID", "ID"), example="7")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    state: str = field(("State", "상태"), example="firing")
    version: int = field(("Version", "판"), example=1)


class SubjectView(SubjectStateView):
    """`since`, `event`, `actor` and `reason` are of its last transition; `next_event` of its soonest timer."""

    since: datetime | None = field(("Since", "시작"))
    event: str | None = field(("Event", "이벤트"), example="begin")
    actor: str | None = field(("Actor", "행위자"), example="engine")
    reason: str | None = field(("Reason", "이유"), example=None)
    next_event: str | None = field(("Next event", "다음 이벤트"), example=None)
    next_at: datetime | None = field(("Next", "다음"))


class TransitionView(View):
    """One move of a subject, as it was recorded."""

    version: int = field(("Version", "판"), example=2)
    event: str = field(("Event", "이벤트"), example="acknowledge")
    source: str | None = field(("From", "이전 상태"), example="firing")
    target: str = field(("To", "이후 상태"), example="acknowledged")
    actor: str = field(("Actor", "행위자"), example="user:12")
    reason: str | None = field(("Reason", "이유"), example=None)
    cause: str | None = field(("Cause", "계기"), example=None)
    at: datetime = field(("At", "시각"))


class EventEffectView(View):
    """What one event would do now: lead to `target`, or be refused with the values that were compared. `may_do_it`:
    you lack the right; `not_by_hand`: nobody sends it by hand."""

    event: str = field(("Event", "이벤트"), example="acknowledge")
    allowed: bool = field(("Allowed", "가능"), example=True)
    target: str | None = field(("To", "이후 상태"), example="acknowledged")
    reason: str | None = field(("Reason", "이유"), example=None)
    values: dict[str, Any] = field(("Values", "비교한 값"), example={})


def view_machine(machine: "Machine", app: str) -> MachineView:
    return MachineView(**_declared(machine, app))


def view_whole_machine(machine: "Machine", app: str, counts: dict[str, int]) -> WholeMachineView:
    return WholeMachineView(**_declared(machine, app), counts=counts, diagram=machine.diagram())


def view_subject(line: "SubjectLine") -> SubjectView:
    return SubjectView.of(line, id=str(line.id))


def view_effect(one: "Explained") -> EventEffectView:
    refusal = one.refusal
    return EventEffectView.of(
        one,
        reason=None if refusal is None else refusal.reason,
        values={} if refusal is None else dict(refusal.values),
    )


def _declared(machine: "Machine", app: str) -> dict[str, Any]:
    return {
        "name": machine.name,
        "app": app,
        "states": [str(state) for state in machine.states],
        "initial": str(machine.initial),
        "final": [str(state) for state in machine.final],
        "events": list(machine.events),
    }
