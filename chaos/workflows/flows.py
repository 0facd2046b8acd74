"""Random workflows: what the steps are, what each needs, how they wait, fail and are undone. The seed decides."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

Data = dict[str, Any]
# a workflow that others wait for: short, and one time in a few it fails
INNER = "inner"
_INPUT = {"odd": {"type": "boolean", "required": True}, "order": {"type": "string", "required": True}}
_SEVERAL = ("do", "write", "flaky")
_WHAT = ("do", "do", "write", "write", "flaky", "ask", "for", "until", "event", "event", "workflow", "break", "break")


def draw_flows(number: int, chosen_seed: int) -> list[Data]:
    """So many for this seed, with the one that others wait for first."""
    found: list[Data] = []

    @seed(chosen_seed)
    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(_steps(), min_size=number, max_size=number))
    def collect(drawn: list[list[Data]]) -> None:
        found[:] = [_flow(f"flow_{n}", steps) for n, steps in enumerate(drawn)]

    collect()
    return [_inner(), *found]


def _inner() -> Data:
    last = {"name": "last", "kind": "chaos.write", "input": {"of": {"from": "steps.first.n"}}}
    odd_breaks = {"name": "breaks", "kind": "chaos.break", "when": {"path": "input.odd", "op": "==", "value": True}}
    steps = [{"name": "first", "kind": "chaos.do"}, {"name": "rest", "wait": {"for": "30s"}}, odd_breaks, last]
    return _flow(INNER, steps) | {"output": {"n": {"from": "steps.last.n"}}}


def _flow(name: str, steps: list[Data]) -> Data:
    limited = len(steps) > 5
    return {"name": name, "input": _INPUT, "steps": steps, "time_limit": "25m" if limited else "2d"}


@st.composite
def _steps(draw: Callable[[Any], Any]) -> list[Data]:
    steps: list[Data] = []
    for number in range(draw(st.integers(2, 7))):
        steps.append(_step(draw, f"s{number}", steps))
    if not any("compensate" in one for one in steps):
        # refused, where there is nothing to take back
        steps = [{**one, "on_error": one["on_error"].replace("compensate", "fail")} for one in steps]
    return steps


def _step(draw: Callable[[Any], Any], name: str, before: Sequence[Data]) -> Data:
    names = [one["name"] for one in before]
    needs = draw(st.lists(st.sampled_from(names), unique=True, max_size=2)) if names and draw(_one_in(3)) else None
    step: Data = {"name": name, "needs": names[-1:] if needs is None else sorted(needs)}
    if draw(_one_in(6)):
        step["when"] = {"path": "input.odd", "op": "==", "value": draw(st.booleans())}
    what = draw(st.sampled_from(_WHAT))
    step |= _kind(draw, what, name)
    named = [one["name"] for one in before if one["name"] in step["needs"] and _gives_name(one)]
    if named and "kind" in step:
        step["input"] = {**step.get("input", {}), "of": {"from": f"steps.{named[0]}.n"}}
    if what in _SEVERAL:
        step |= _done_and_undone(draw, name)
    # a run that stops at each of its many steps would never come far
    step["on_error"] = draw(st.sampled_from(("skip", "skip", "fail", "compensate", "compensate", "compensate")))
    return step


def _kind(draw: Callable[[Any], Any], what: str, name: str) -> Data:
    match what:
        case "flaky":
            fails = draw(st.integers(1, 2))
            tries = {"retries": draw(st.sampled_from((fails + 1, fails + 3, 1))), "retry_after": "20s"}
            return {"kind": "chaos.flaky", "input": {"fails": fails}, **tries}
        case "ask":
            limit = {"time_limit": "4m"} if draw(st.booleans()) else {}
            return {"kind": "chaos.ask", **limit}
        case "for":
            return {"wait": {"for": draw(st.sampled_from(("10s", "90s", "3m")))}}
        case "until":
            # a moment that is over already, and is waited for all the same
            return {"wait": {"until": "2026-01-01T00:00:00+09:00"}}
        case "event":
            limit = {"time_limit": "4m"} if draw(st.booleans()) else {}
            return {"wait": {"event": f"order.{name}", "key": {"from": "input.order"}}, **limit}
        case "workflow":
            given_on = {"odd": {"from": "input.odd"}, "order": {"from": "input.order"}}
            return {"wait": {"workflow": INNER}, "input": given_on}
        case _:
            return {"kind": f"chaos.{what}"}


def _done_and_undone(draw: Callable[[Any], Any], name: str) -> Data:
    more: Data = {}
    if draw(_one_in(4)):
        more["for_each"] = list(range(draw(st.integers(0, 4))))
    if draw(st.booleans()):
        kind = draw(st.sampled_from(("chaos.do", "chaos.write")))
        more["compensate"] = {"kind": kind, "input": {"of": {"from": f"steps.{name}.n"}}}
    return more


def _gives_name(step: Data) -> bool:
    return "kind" in step and "for_each" not in step


def _one_in(number: int) -> "st.SearchStrategy[bool]":
    return st.integers(1, number).map(lambda drawn: drawn == 1)
