"""Each figure runs and answers; how quick it is, only `make bench` says."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import NAMES
from bench.order import Attempt, count_at_once, count_violations, read_attempts
from bench.result import Target, percentile
from pabal.base import embedded
from tests.support.database import prefer_memory

ROOT = Path(__file__).resolve().parents[1]
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
    "strangers": ("lateness_ratio", "p99_ms", "quiet_p99_ms", "grown_mb", "missing"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """In memory, where a durable commit costs nothing: nobody looks at the numbers."""
    folder = prefer_memory(tmp_path_factory.mktemp("bench"))
    yield folder
    asyncio.run(embedded.remove(folder / "postgres"))
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    """All figures by one process: most of a small run would be its start."""
    ended = _run_bench(folder)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, f"after {[one['name'] for one in found]}: {ended.stderr}"
    return {one["name"]: one for one in found}


@pytest.mark.slow
@pytest.mark.xdist_group("bench")
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_runs_in_small_and_tells_all_of_itself(name: str, results: dict[str, Any]):
    _check(name, results[name])


@pytest.mark.slow
@pytest.mark.xdist_group("bench")
def test_one_figure_alone_prints_one_json_object_last(folder: Path):
    ended = _run_bench(folder, "scale")

    assert ended.returncode == 0, ended.stderr
    _check("scale", json.loads(ended.stdout.splitlines()[-1]))


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


def _run_bench(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    environment = {**os.environ, "PABAL_BENCH_DIR": str(folder), "PYTHONPATH": path}
    command = [sys.executable, "-m", "bench", *names, "--json", "--size", "small"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)


def _check(name: str, result: dict[str, Any]) -> None:
    assert result["name"] == name
    assert all(isinstance(result[field], int | float) for field in FIELDS[name])
    assert {"cores", "memory_gb", "cpu", "postgres", "python"} <= result["machine"].keys()
    assert result["rounds"]
    assert result["sizes"]
    assert result["reached"] == all(target["reached"] for target in result["targets"].values())
    assert name != "lanes" or result["violations"] == 0
    assert name != "midnight" or result["differences"] == 0
    assert name != "dispatch" or result["missing"] == result["duplicates"] == 0
