"""How much of what PostgreSQL allows is left: drain against claims.sql in a bare loop, steps against two commits."""

from dataclasses import asdict, dataclass
from typing import Any

from bench.ground import Ground, install
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import BARE, OURS

TARGETS = (Target("of_limit", at_least=0.6), Target("of_two_commits", at_least=0.6))


@dataclass(frozen=True)
class Sizes:
    jobs: int = 50_000
    steps_jobs: int = 6_000
    at_once: int = 16
    batch: int = 500
    rounds: int = 3


SMALL = Sizes(jobs=600, steps_jobs=100, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes, number) for number in range(sizes.rounds)]
    medians = {name: middle(rounds, name) for name in ("drain_per_s", "bare_per_s", "steps_per_s", "two_commits_per_s")}
    fields = {
        "of_limit": middle_ratio(rounds, "drain_per_s", "bare_per_s"),
        "of_two_commits": middle_ratio(rounds, "steps_per_s", "two_commits_per_s"),
        **medians,
    }
    notes = (
        "bare: claim and end_leases of claims.sql, 500 a commit, on one connection, nothing around them.",
        "two commits: fence, commit; fence, end_leases, commit; for each job, 16 connections side by side.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes, number: int) -> dict[str, Any]:
    async with _filled(ground, "enqueue", sizes.jobs) as url:
        ours = await OURS.run("drain", url, sizes.jobs, 120)
    async with _filled(ground, "enqueue", sizes.jobs) as url:
        bare = await BARE.run("drain", url, sizes.jobs)
    async with _filled(ground, "enqueue_steps", sizes.steps_jobs) as url:
        steps = await OURS.run("drain_steps", url, sizes.steps_jobs, 120)
    async with _filled(ground, "enqueue_steps", sizes.steps_jobs) as url:
        commits = await BARE.run("drain_steps", url, sizes.steps_jobs, sizes.at_once)
    assert ours["jobs"] == bare["jobs"] == sizes.jobs
    assert steps["jobs"] == commits["jobs"] == sizes.steps_jobs
    return {
        "round": number,
        "drain_per_s": ours["jobs"] / ours["seconds"],
        "bare_per_s": bare["jobs"] / bare["seconds"],
        "steps_per_s": steps["jobs"] / steps["seconds"],
        "two_commits_per_s": commits["jobs"] / commits["seconds"],
    }


def _filled(ground: Ground, word: str, jobs: int) -> Any:
    return ground.filled(lambda url: _fill(url, word, jobs))


async def _fill(url: str, word: str, jobs: int) -> None:
    await install(url)
    await OURS.run(word, url, jobs)
