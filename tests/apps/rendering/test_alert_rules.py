from datetime import timedelta

import pytest

from pabal.apps.rendering import alert_rules
from pabal.apps.rendering.alert_rules import RULES
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import traces
from pabal.base.telemetry import metrics_text
from tests.support.rendering import RenderWorld

NAMES = {
    "B-93": "render_queue_pending_count",
    "B-94": "render_job_duration_seconds",
    "B-95": "render_job_success_rate",
    "B-96": "ae_worker_active_count",
    "B-97": "nexrender_api_latency_ms",
    "B-98": "nas_copy_duration_seconds",
}
BY_NAME = {rule.name.removeprefix("rendering."): rule for rule in RULES}


@pytest.mark.parametrize(
    ("name", "beyond", "threshold"),
    [
        pytest.param("render_queue_pending_count", "above", 10, marks=pytest.mark.req("B-93")),
        pytest.param("render_job_duration_seconds", "above", 300, marks=pytest.mark.req("B-94")),
        pytest.param("render_job_success_rate", "below", 90, marks=pytest.mark.req("B-95")),
        pytest.param("ae_worker_missing_count", "above", 0, marks=pytest.mark.req("B-96")),
        pytest.param("nexrender_api_latency_ms", "above", 5000, marks=pytest.mark.req("B-97")),
        pytest.param("nas_copy_duration_seconds", "above", 60, marks=pytest.mark.req("B-98")),
    ],
)
def test_each_metric_has_its_alert(name: str, beyond: str, threshold: float):
    rule = BY_NAME[name]

    assert (rule.beyond, rule.threshold) == (beyond, threshold)
    assert all(rule.label)
    assert all(rule.advice)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.req(line)) for line, name in NAMES.items()])
def test_each_figure_is_measured_and_scraped_under_its_name(name: str):
    assert f"rendering.{name}" in {one.name for one in alert_rules.MEASURES}
    assert f"# HELP pabal_{name} " in metrics_text().decode()


@pytest.mark.req("B-93", "B-99")
async def test_all_that_waits_is_counted_however_old(world: RenderWorld):
    await world.ask("A")
    await world.pass_time(timedelta(hours=3))
    await world.ask("B")

    async with world.db.transaction() as tx:
        assert await alert_rules.read_pending(tx) == 2
    assert "\npabal_render_queue_pending_count 2.0\n" in metrics_text().decode()


@pytest.mark.req("B-94", "B-95", "B-98", "B-100", "B-101")
async def test_times_and_the_share_of_successes_are_of_what_ended(world: RenderWorld):
    async with world.db.transaction() as tx:
        assert await alert_rules.read_success(tx) is None
        assert await alert_rules.read_duration(tx) is None
    world.nexrender.faults.add(Fault(FaultKind.FAIL))
    asked = await world.ask("A", "B", "C", "D")
    await world.run()

    async with world.db.transaction() as tx:
        took = [stage for one in asked for stage in await traces.list_stages(tx, one.id) if stage.ended_at]
        copies = [(one.ended_at - one.began_at).total_seconds() for one in took if one.stage == "copy"]
        assert await alert_rules.read_success(tx) == 75
        assert 0 < (await alert_rules.read_duration(tx) or 0) < 60
        assert await alert_rules.read_copies(tx) == pytest.approx(max(copies))


@pytest.mark.req("B-94")
async def test_a_slow_render_is_told_of_and_goes_on(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 40))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.progress >= 40)
        await world.pass_time(timedelta(seconds=301))
        async with world.db.transaction() as tx:
            assert [one.value for one in await alert_rules.read_slow(tx)] == [1]
        await world.let_go()

    assert (await world.see(asked.id)).state == "completed"


async def test_a_job_that_nexrender_does_not_begin_is_told_of(world: RenderWorld):
    await world.nexrender.workers.kill(1)
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state == "queued")
        await world.pass_time(timedelta(seconds=301))
        async with world.db.transaction() as tx:
            assert [one.value for one in await alert_rules.read_unbegun(tx)] == [1]
        world.nexrender.workers.start(1)

    assert (await world.see(asked.id)).state == "completed"
