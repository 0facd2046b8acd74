"""No-op jobs against pgqueuer and procrastinate: bulk enqueue, drain, WAL per job, and pickup by an idle worker."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median

from bench.ground import Ground
from bench.result import Measured, Target, percentile
from bench.sides import OURS, PEER_PACKAGES, Side, peers

TARGETS = (
    Target("drain_vs_best_peer", at_least=2.8),
    Target("enqueue_vs_best_peer", at_least=1.5),
    Target("pickup_p50_vs_best_peer", at_most=1.2),
)


@dataclass(frozen=True)
class Sizes:
    jobs: int = 50_000
    rounds: int = 3
    pickups: int = 100
    pause: float = 0.02
    # procrastinate would take minutes; the rate of its first seconds, with little history, flatters it if anything.
    drain_seconds: float = 15.0


SMALL = Sizes(jobs=300, rounds=1, pickups=5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    others = await peers()
    sides = [OURS, *others]
    rounds = [{side.name: await _side(ground, side, sizes) for side in sides} for _ in range(sizes.rounds)]
    fields = {
        "drain_vs_best_peer": median(_against_best(one, "drain_per_s", max) for one in rounds),
        "enqueue_vs_best_peer": median(_against_best(one, "enqueue_per_s", max) for one in rounds),
        "pickup_p50_vs_best_peer": median(_against_best(one, "pickup_p50_ms", min) for one in rounds),
        **_medians(rounds, OURS.name),
        **{f"{peer.name}_{field}": value for peer in others for field, value in _medians(rounds, peer.name).items()},
    }
    notes = (
        f"Peers, in an environment of their own: {', '.join(PEER_PACKAGES)}.",
        "Enqueue is 1,000 jobs a commit on every side. Drain ends when the last outcome is durable.",
        "Pickup is from the call that enqueues in another process to the start of the handler in an idle worker.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


def _against_best(sides: dict[str, dict[str, float]], field: str, best: Callable[[list[float]], float]) -> float:
    """Within one round, whose sides ran right after each other."""
    return sides[OURS.name][field] / best([side[field] for name, side in sides.items() if name != OURS.name])


def _medians(rounds: list[dict[str, dict[str, float]]], name: str) -> dict[str, float]:
    return {field: float(median(one[name][field] for one in rounds)) for field in rounds[0][name]}


async def _side(ground: Ground, side: Side, sizes: Sizes) -> dict[str, float]:
    async with ground.fresh() as url:
        await side.run("install", url)
        await ground.settle(url)
        wal_before = await ground.wal_bytes()
        enqueued = await side.run("enqueue", url, sizes.jobs)
        wal_enqueued = await ground.wal_bytes()
        await ground.settle(url)
        wal_settled = await ground.wal_bytes()
        drained = await side.run("drain", url, sizes.jobs, sizes.drain_seconds)
        wal_drained = await ground.wal_bytes()
    assert side is not OURS or drained["jobs"] == sizes.jobs
    wal = (wal_enqueued - wal_before) / sizes.jobs + (wal_drained - wal_settled) / max(drained["jobs"], 1)
    late = await _pickup(ground, side, sizes)
    return {
        "enqueue_per_s": enqueued["jobs"] / enqueued["seconds"],
        "drain_per_s": drained["jobs"] / drained["seconds"],
        "wal_bytes_per_job": wal,
        "pickup_p50_ms": median(late),
        "pickup_p95_ms": percentile(late, 0.95),
    }


async def _pickup(ground: Ground, side: Side, sizes: Sizes) -> list[float]:
    async with ground.fresh() as url:
        await side.run("install", url)
        await ground.settle(url)
        async with side.start("serve", url, sizes.pickups) as worker:
            await worker.line()
            await side.run("send", url, sizes.pickups, sizes.pause)
            answer: list[float] = (await worker.answer())["ms"]
    return answer
