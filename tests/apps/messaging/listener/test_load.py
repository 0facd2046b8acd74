import pytest

from pabal.apps.messaging.listener.server import CpuMeter, Limits, Load, memory_mb, refusal

FULL = Load(active_bots=100, total_connections=500, memory_mb=1024, cpu_percent=80)


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (FULL, None),
        (Load(101, 101, 1, 1), "bots"),
        (Load(1, 1, 1024.1, 1), "memory"),
        (Load(1, 1, 1, 80.1), "cpu"),
    ],
)
@pytest.mark.req("A-203")
def test_more_than_a_limit_refuses(load: Load, reason: str | None):
    refused = refusal(load, Limits())

    assert (refused.reason if refused else None) == reason


def test_a_bot_that_is_here_already_is_not_counted_against_itself():
    assert refusal(Load(101, 101, 1, 1), Limits(), is_new_bot=False) is None


def test_cpu_is_that_of_the_last_thirty_seconds():
    meter = CpuMeter()
    for second in range(60):
        meter.sample(float(second), used=0.9 * max(second - 20, 0))

    assert meter.percent() == pytest.approx(90, abs=3)

    for second in range(60, 91):
        meter.sample(float(second), used=0.9 * 39)

    assert meter.percent() == pytest.approx(0)


def test_a_busy_start_is_not_taken_for_a_busy_half_minute():
    meter = CpuMeter()
    meter.sample(0.0, used=0.0)
    meter.sample(3.0, used=3.0)

    assert meter.percent() == pytest.approx(10)


def test_memory_is_that_of_this_process():
    before = memory_mb()

    ballast = b"x" * (64 * 1024 * 1024)

    assert memory_mb() - before > 32
    assert len(ballast) == 64 * 1024 * 1024
