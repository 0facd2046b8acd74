"""Killed after any statement, a run goes on after its last commit: nothing is made twice, nothing is left out."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from pabal.apps.adgroups.legacy import actions, moving, runs
from pabal.apps.adgroups.legacy.model import Mode, Run, RunState
from pabal.engine.transitions import replay
from tests.apps.adgroups.actions.world import START
from tests.apps.adgroups.legacy.olds import CONFIRMED, TO_COME, Mover, an_old
from tests.support.programs import ROOT, start

pytestmark = [pytest.mark.slow, pytest.mark.beside]

ROWS = [
    an_old(n, CONFIRMED, TO_COME if n % 2 else {}, creatives="https://a.example/1", inventory="x") for n in range(12)
]
# after how many statements each of them dies; one slice takes some twenty
DEATHS = {Mode.ONE_TRANSACTION: (50,), Mode.BATCHES: (5, 15, 30)}


async def run_and_kill(mover: Mover, folder: Path, run: Run, statements: int) -> None:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    asked = (mover.world.db.url, str(folder), str(run.id), str(statements))
    process = start("tests.apps.adgroups.legacy.migrating_process", *asked, cwd=ROOT, env=environment)
    code = await asyncio.to_thread(process.wait, 30)
    assert code in (0, -signal.SIGKILL)
    async with asyncio.timeout(30):
        while not await is_free(mover, run):
            await asyncio.sleep(0.01)


async def is_free(mover: Mover, run: Run) -> bool:
    """PostgreSQL holds a dead client's locks until it has noticed."""
    async with mover.world.db.transaction() as tx:
        return await runs.hold_run(tx, run.id) is not None


@pytest.mark.req("E-89", "E-103", "E-104")
@pytest.mark.parametrize("mode", Mode)
async def test_a_run_killed_again_and_again_comes_to_its_end_and_back(
    mover: Mover, tmp_path: Path, mode: Mode, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "SLICE", 3)
    world = mover.world
    run = await mover.plan(*ROWS)
    await world.do(actions.start, run.id, mode)

    seen = []
    for statements in DEATHS[mode]:
        await run_and_kill(mover, tmp_path, run, statements)
        seen.append((await world.do(actions.get_run, run.id)).checkpoint)
    await world.do(actions.resume, run.id)
    done = await actions.work(mover.services, run.id)

    assert seen == sorted(seen)
    assert set(seen) == {0} if mode is Mode.ONE_TRANSACTION else 0 < seen[-1] < 12, "it really died on the way"
    assert (done.state, done.counts) == (RunState.DONE, {"made": 12})
    ids = list((await mover.ids(done)).values())
    assert len(set(ids)) == 12
    for one in ids:
        group = await world.get(one)
        assert replay(await world.history(one)) == group.state
        assert (await world.armed(one)).keys() == (
            {"start", "expire"} if group.schedule.start_at > START else {"expire"}
        )
        assert (group.creatives, group.inventories) == (1, 1)
    assert Counter([(await world.get(one)).state.value for one in ids]) == {"approved": 6, "running": 6}

    await world.do(actions.rollback, run.id)
    for statements in DEATHS[mode]:
        await run_and_kill(mover, tmp_path, run, statements)
    back = await actions.work(mover.services, run.id)
    assert (back.state, back.counts) == (RunState.ROLLED_BACK, {"made": 12, "removed": 12})
    assert [await world.history(one) for one in ids] == [[]] * 12
