"""Each figure runs and answers; how quick it is, only `make bench` says."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import page, pairs
from bench.__main__ import NAMES
from bench.order import Attempt, count_at_once, count_violations, read_attempts
from bench.result import Target, percentile
from tests.support.figures import ALONE, Figures

FIELDS = {
    "queue": ("drain_vs_best_peer", "enqueue_vs_best_peer", "pickup_p50_vs_best_peer"),
    "limit": ("of_limit", "of_two_commits"),
    "scale": ("growth_buffers", "growth"),
    "snapshot": ("kept", "idle_claim_ms"),
    "lanes": ("violations", "of_unordered", "hot_lane_per_s"),
    "mixed": ("p99_ms", "handed_back"),
    "fair": ("p99_ratio", "p99_ms", "quiet_p99_ms"),
    "at_most": ("highest", "of_ideal", "missing"),
    "storm": ("of_raw_sql",),
    "schedules": ("p50_ms", "p99_ms", "noise_p99_ms", "burst_per_s"),
    "pages": ("growth", "worst_ms"),
    "dispatch": ("p50_ms", "p99_ms", "of_waits", "missing", "duplicates"),
    "bots": ("kb_per_bot", "cpu_percent"),
    "upload": ("peak_mb", "idle_mb"),
    "midnight": ("of_raw_sql", "running_of_raw_sql", "differences"),
    "redis_design": ("speedup",),
    "commands": ("slowest_s", "median_s"),
    "relay": ("webhook_p99_ms", "webhook_to_client_p99_ms", "round_p99_ms", "of_bare_p50", "lost", "twice"),
    "relay_seed": ("rounds_vs_seed", "rounds_vs_bare"),
    "streams": ("kb_per_stream", "cpu_percent"),
    "render": ("added_p50_s", "added_p99_s", "busy", "twice"),
    "render_queue": ("growth", "claim_ms", "page_ms"),
    "approvals": ("growth", "page_ms", "decision_ms"),
    "events": ("per_s_vs_redis", "one_per_s_vs_redis"),
    "workflows": ("steps_vs_dbos", "run_ms_vs_dbos", "unseen"),
    "fanout": ("of_plain",),
    "render_copy": ("of_cp", "of_cp_quick_hash", "peak_mb"),
    "strangers": ("lateness_ratio", "p99_ms", "quiet_p99_ms", "grown_mb", "missing"),
}


@pytest.mark.slow
@pytest.mark.xdist_group("bench")
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_runs_in_small_and_tells_all_of_itself(name: str, figures: Figures):
    every = figures.every
    assert every.code == 0, f"after {[one['name'] for one in every.results]}: {every.err}"
    [result] = [one for one in every.results if one["name"] == name]
    _check(name, result)


@pytest.mark.slow
@pytest.mark.xdist_group("bench")
def test_one_figure_alone_prints_one_json_object_last(figures: Figures):
    assert figures.alone.code == 0, figures.alone.err
    _check(ALONE, json.loads(figures.alone.out.splitlines()[-1]))


def test_how_many_ran_at_once_is_counted_and_a_killed_server_ran_until_it_was_killed():
    attempts = [Attempt(0, 0, 1.0, 2.0), Attempt(0, 1, 1.5, None), Attempt(0, 2, 2.0, 4.0), Attempt(0, 3, 2.5, 3.5)]

    assert count_at_once(attempts, killed_at=2.6) == 3
    assert count_at_once(attempts, killed_at=2.4) == 2
    assert count_at_once(attempts[:1], killed_at=9.0) == 1


def test_a_lane_in_order_has_no_violation_even_when_its_worker_was_killed():
    attempts = [Attempt(0, 0, 1.0, 1.5), Attempt(0, 1, 2.0, None), Attempt(0, 1, 4.0, 4.5), Attempt(0, 2, 5.0, 5.5)]

    assert count_violations(attempts, lanes=1, each=3, killed_at=3.0) == 0


@pytest.mark.parametrize(
    ("attempts", "what"),
    [
        ([Attempt(0, 0, 1.0, 2.0), Attempt(0, 1, 1.5, 2.5)], "two at once"),
        ([Attempt(0, 1, 1.0, 2.0), Attempt(0, 0, 3.0, 4.0)], "one before its turn"),
        ([Attempt(0, 0, 1.0, 2.0)], "one that never ran"),
        ([Attempt(0, 0, 1.0, 2.0), Attempt(0, 1, 2.5, None)], "one that never ended"),
        (
            [Attempt(0, 0, 1.0, None), Attempt(0, 0, 2.0, 2.1), Attempt(0, 1, 3.0, 3.1)],
            "one beside a worker that lived",
        ),
    ],
)
def test_a_broken_order_is_counted(attempts: list[Attempt], what: str):
    assert count_violations(attempts, lanes=1, each=2, killed_at=2.9) > 0, what


def test_a_line_that_a_kill_cut_off_is_not_read(tmp_path: Path):
    file = tmp_path / "worker"
    file.write_text("start 3 0 1.5\nend 3 0 1.6\nstart 3 1 1.7\nend 3 1 1.")

    assert read_attempts([file]) == [Attempt(3, 0, 1.5, 1.6), Attempt(3, 1, 1.7, None)]


def test_a_target_is_reached_at_its_bound_and_missed_beyond():
    assert Target("kept", at_least=0.7).is_reached(0.7)
    assert not Target("kept", at_least=0.7).is_reached(0.69)
    assert not Target("violations", at_most=0).is_reached(1)


def test_a_percentile_is_one_of_the_values():
    assert percentile([5, 1, 3, 2, 4], 0.5) == 3
    assert percentile([1, 2], 0.99) == 2


def test_a_pair_is_worse_when_fewer_are_done_in_a_second_or_one_takes_longer():
    def pair(before: float, now: float) -> dict[str, dict[str, float]]:
        return {
            "before": {"drain_per_s": before, "p99_ms": before, "of_limit": before},
            "now": {"drain_per_s": now, "p99_ms": now, "of_limit": now, "new_ms": now},
        }

    found = pairs.compare([pair(100, 50), pair(100, 200), pair(100, 80)])

    assert found == {"drain_per_s": 1.25, "p99_ms": 0.8}


def _check(name: str, result: dict[str, Any]) -> None:
    assert result["name"] == name
    assert all(isinstance(result[field], int | float) for field in FIELDS[name])
    assert {"cores", "memory_gb", "cpu", "postgres", "python"} <= result["machine"].keys()
    assert result["rounds"]
    assert result["sizes"]
    assert result["reached"] == all(target["reached"] for target in result["targets"].values())
    assert name != "lanes" or result["violations"] == 0
    assert name != "midnight" or result["differences"] == 0
    assert name != "render" or result["twice"] == result["missing"] == 0
    assert name != "dispatch" or result["missing"] == result["duplicates"] == 0


def test_a_figure_measured_by_itself_takes_its_place_and_leaves_what_was_written_below_it():
    queue = "## queue\n\n| old |\n\nSizes: jobs 1.\n\nWhy it is so.\n\nAnd since when.\n\n"
    text = f"# Benchmarks\n\nHead.\n\n{queue}## limit\n\nLast.\n"
    names = ("queue", "scale", "limit")

    once = page.with_part(text, _measured("queue", 2.5), names)
    both = page.with_part(once, _measured("scale", 1.5), names)

    assert [line for line in both.splitlines() if line.startswith("## ")] == ["## queue", "## scale", "## limit"]
    assert "| old |" not in both
    assert "| growth | 2.5 | <= 3 ✓ |" in both
    assert "Sizes: jobs 9.\n\nWhy it is so.\n\nAnd since when.\n\n## scale" in both
    assert "Sizes: jobs 9.\n\nA note.\n\n## limit\n\nLast.\n" in both
    assert page.with_part(both, _measured("scale", 1.5), names) == both


def _measured(name: str, growth: float) -> dict[str, Any]:
    return {
        "name": name,
        "growth": growth,
        "targets": {"growth": {"must": "<= 3", "reached": True}},
        "sizes": {"jobs": 9},
        "notes": ["A note."],
        "machine": {"cores": 2, "cpu": "a CPU", "postgres": "18.4"},
    }
