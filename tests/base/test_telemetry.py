import json
import logging

import pytest

from pabal.base import telemetry

telemetry.declare("tests.counted", "For these tests", labels=("kind",), amount="count")
telemetry.declare("tests.timed", "For these tests", seconds=True)
telemetry.declare("tests.quiet", "For these tests", level=logging.DEBUG)


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]):
    telemetry.start_logging(level="info", json_lines=True)
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    telemetry.start_logging(level="warning")


def test_an_event_is_one_line_and_one_count_under_the_same_name(lines):
    telemetry.emit("tests.counted", kind="a", count=3, room="부산")

    [line] = lines()
    assert line["event"] == "tests.counted"
    assert line["room"] == "부산"
    assert 'pabal_tests_counted_total{kind="a"} 3.0' in telemetry.metrics_text().decode()


def test_durations_become_a_histogram():
    telemetry.emit("tests.timed", seconds=0.2)

    assert 'pabal_tests_timed_seconds_bucket{le="0.25"} 1.0' in telemetry.metrics_text().decode()


def test_a_quiet_event_counts_but_writes_no_line(lines):
    telemetry.emit("tests.quiet")

    assert lines() == []
    assert "pabal_tests_quiet_total 1.0" in telemetry.metrics_text().decode()


def test_secrets_never_reach_the_log(lines):
    telemetry.emit(
        "tests.counted", kind="b", count=1, password="hunter2", url="postgresql://me:hunter2@db/x", note="hello"
    )

    [line] = lines()
    assert "hunter2" not in json.dumps(line)
    assert line["url"] == "postgresql://me:***@db/x"
    assert line["note"] == "hello"


def test_an_event_nobody_declared_is_a_mistake():
    with pytest.raises(KeyError):
        telemetry.emit("tests.never_declared")
