"""Faults as people write them, and which job or request they strike."""

import pytest

from pabal.apps.rendering.simulator.faults import BadFault, Fault, FaultKind, FaultList, parse_fault, read_fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("double", Fault(FaultKind.DOUBLE, times=None)),
        ("hang:45@rq-7-*", Fault(FaultKind.HANG, 45, match="rq-7-*", times=None)),
        ("slow:2.5@POST /api/v1/jobs", Fault(FaultKind.SLOW, 2.5, match="POST /api/v1/jobs", times=None)),
        ("fail:Error: disk: full", Fault(FaultKind.FAIL, text="Error: disk: full", times=None)),
        ("fail", Fault(FaultKind.FAIL, times=None)),
    ],
)
def test_a_fault_of_the_command_line_strikes_every_time(text: str, fault: Fault) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize("text", ["", "explode", "hang", "hang:abc", "hang:101", "slow:-1", "slow:nan", "late_copy"])
def test_a_fault_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadFault):
        parse_fault(text)


@pytest.mark.parametrize(
    "fields",
    [
        None,
        [],
        {},
        {"kind": None},
        {"kind": "double", "times": True},
        {"kind": "double", "times": "2"},
        {"kind": "hang", "value": []},
        {"kind": "fail", "text": 5},
        {"kind": "fail", "match": None},
        {"kind": "fail", "other": 1},
    ],
)
def test_json_that_is_no_fault_is_refused(fields: object) -> None:
    with pytest.raises(BadFault):
        read_fault(fields)


def test_a_fault_strikes_what_matches_and_as_often_as_it_shall() -> None:
    faults = FaultList((read_fault({"kind": "fail", "text": "x", "match": "*Mini*", "times": 2}),))

    struck = [faults.take(FaultKind.FAIL, "rq-1", name) is not None for name in ("Other", "A Mini B", "Mini", "Mini")]

    assert struck == [False, True, True, False]
    assert faults.take(FaultKind.HANG, "Mini") is None
