"""When a report is expected, and how reports are written."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.rules.heartbeats.errors import KO, BadHeartbeat
from pabal.apps.rules.heartbeats.model import HeartbeatPlan, ReportKind, read_body, read_kind
from pabal.engine.recurrence import BadCron, UnknownZone

TEN = datetime(2026, 11, 17, 1, 0, tzinfo=UTC)
MINUTES = timedelta(minutes=1)


def plan(cron: str | None = None, every: timedelta | None = None, *, zone: str = "Asia/Seoul") -> HeartbeatPlan:
    return HeartbeatPlan(cron, every, zone, 10 * MINUTES)


def test_by_cron_the_next_one_is_expected_at_its_moment_in_its_zone():
    assert plan("0 3 * * *").next_after(TEN) == datetime(2026, 11, 17, 18, 0, tzinfo=UTC)


def test_by_interval_the_next_one_is_expected_so_long_after_this_one():
    assert plan(every=90 * MINUTES).next_after(TEN) == TEN + 90 * MINUTES


@pytest.mark.parametrize(
    ("cron", "every", "grace"),
    [
        (None, None, 10 * MINUTES),
        ("0 3 * * *", 5 * MINUTES, 10 * MINUTES),
        (None, 0.5 * MINUTES, 10 * MINUTES),
        (None, timedelta(days=366), 10 * MINUTES),
        ("0 3 * * *", None, 0.9 * MINUTES),
        ("0 3 * * *", None, timedelta(days=31)),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(cron: str | None, every: timedelta | None, grace: timedelta):
    with pytest.raises(BadHeartbeat):
        HeartbeatPlan(cron, every, "Asia/Seoul", grace)


def test_a_plan_is_refused_with_the_words_of_schedules():
    with pytest.raises(BadCron):
        plan("every day")
    with pytest.raises(UnknownZone):
        plan("0 3 * * *", zone="Asia/Nowhere")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("", (ReportKind.SUCCESS, None)),
        ("start", (ReportKind.START, None)),
        ("fail", (ReportKind.FAIL, None)),
        ("log", (ReportKind.LOG, None)),
        ("0", (ReportKind.SUCCESS, 0)),
        ("137", (ReportKind.FAIL, 137)),
        ("256", None),
        ("٣", None),
        ("stop", None),
    ],
)
def test_what_stands_behind_the_key_is_the_report(word: str, kind: object):
    assert read_kind(word) == kind


def test_a_body_is_kept_as_far_as_it_can_be():
    assert read_body(b"a\0b\xff") == "ab�"
    assert len(read_body(b"x" * 20_000)) == 10_000


def test_every_error_has_its_korean_sentence():
    assert set(KO) == {"heartbeat_not_found", "bad_heartbeat", "report_not_kept"}
