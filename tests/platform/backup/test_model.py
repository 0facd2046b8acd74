from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pabal.platform.backup import Backup
from pabal.platform.backup.model import choose_old, name_file

NOW = datetime(2026, 7, 15, 18, 30, tzinfo=UTC)
KEEP = timedelta(days=14)


def backup(number: int, *, days_ago: float, **more: Any) -> Backup:
    at = NOW - timedelta(days=days_ago)
    known: dict[str, Any] = {
        "id": number,
        "job_id": number,
        "requested_by": None,
        "host": "one",
        "folder": "/backups",
        "file": f"pabal-{number}.dump",
        "started_at": at,
        "ended_at": at,
        "ending": "done",
        "reason": None,
        "size": 1,
        "sha256": "",
        "counts": {},
        "checked_at": None,
        "check_result": None,
        "check_detail": None,
    }
    return Backup(**{**known, **more})


def old_ids(*backups: Backup) -> list[int]:
    return [one.id for one in choose_old(backups, NOW, KEEP)]


def test_a_file_is_named_after_its_moment_and_numbered_when_that_is_taken() -> None:
    assert name_file(NOW, []) == "pabal-20260715-183000.dump"
    assert name_file(NOW, ["pabal-20260715-183000.dump"]) == "pabal-20260715-183000-2.dump"


def test_what_is_older_than_the_days_kept_may_go() -> None:
    assert old_ids(backup(1, days_ago=15), backup(2, days_ago=13), backup(3, days_ago=1)) == [1]


def test_the_only_good_one_stays_however_old_it_is() -> None:
    failed = backup(3, days_ago=1, ending="failed", reason="no room")
    bad = backup(2, days_ago=2, check_result="bad")

    assert old_ids(backup(1, days_ago=99), bad, failed) == []


def test_the_newest_that_a_check_has_proven_stays() -> None:
    proven = [backup(number, days_ago=50 - number, check_result="good") for number in (1, 2)]

    assert old_ids(*proven, backup(3, days_ago=1)) == [1]


def test_one_that_still_runs_is_not_old() -> None:
    running = backup(1, days_ago=99, ended_at=None, ending=None)

    assert old_ids(running, backup(2, days_ago=1)) == []


ANY = st.builds(
    lambda number, days, ending, result: backup(
        number, days_ago=days, ending=ending, check_result=result if ending == "done" else None
    ),
    st.integers(1, 10**6),
    st.floats(0, 100),
    st.sampled_from(["done", "failed"]),
    st.sampled_from([None, "good", "bad", "failed"]),
)


@given(st.lists(ANY, unique_by=lambda one: one.id, max_size=20))
def test_there_is_always_a_good_one_left(backups: list[Backup]) -> None:
    def good(some: list[Backup]) -> list[Backup]:
        return [one for one in some if one.is_whole and one.check_result != "bad"]

    old = choose_old(backups, NOW, KEEP)

    left = [one for one in backups if one not in old]
    assert bool(good(left)) == bool(good(backups))
    assert all(one.ended_at is not None and one.ended_at < NOW - KEEP for one in old)
