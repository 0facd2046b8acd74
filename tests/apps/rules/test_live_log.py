"""A run's page shows its lines before it has ended."""

import asyncio
from collections.abc import Callable

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.jobs import RunRule, RunToPerform
from pabal.apps.rules.live_log import LiveLog
from pabal.apps.rules.model.rules import LONGEST_LOG, Run, RunReason
from pabal.apps.rules.running import ScriptCall, ScriptEnd
from pabal.apps.rules.store import runs
from pabal.engine.kinds import Stop
from pabal.platform.actor import ENGINE
from tests.support.rules import RulesWorld
from tests.support.work import start

SCRIPT = {"execution_script_path": "stock/check_price.py"}


class Waiting:
    """A script that says a line, and goes on until it is told to stop."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd:
        on_line("half\0way")
        self.began.set()
        await stop.wait()
        return ScriptEnd(False, RunReason.CANCELLED, "stopped")


async def begin(world: RulesWorld) -> RunToPerform:
    rule = await world.rule(**SCRIPT)
    async with world.db.transaction() as tx:
        run = await actions.run_now(tx, ENGINE, rule.id)
    return RunToPerform(rule, run, True, None)


async def find_log(world: RulesWorld, run: Run) -> str:
    while True:
        async with world.db.transaction() as tx:
            [found] = await runs.load_runs(tx, [run.number])
        if found.log:
            return found.log


async def test_lines_are_there_while_it_runs_and_the_engine_s_stop_reaches_the_script(world: RulesWorld):
    prepared, scripts, job = await begin(world), Waiting(), await start(world.db)
    performing = asyncio.create_task(RunRule(world.lookups, scripts, world.db).perform(job, prepared))

    async with asyncio.timeout(30):
        await scripts.began.wait()
        assert await find_log(world, prepared.run) == "halfway"
        # a server that stops lets it go on as long as it can
        job.tell(Stop.SHUTDOWN)
        assert not performing.done()
        job.tell(Stop.CANCEL)
        result = await performing

    assert (result.ok, result.ended.reason, result.ended.log) == (False, RunReason.CANCELLED, "half\0way")


async def test_of_very_much_the_newest_lines_are_kept(world: RulesWorld):
    log = LiveLog(world.db, (await begin(world)).run)

    for number in range(10_000):
        log.add(f"line {number}")

    assert len(log.text) <= LONGEST_LOG
    assert log.text.endswith("line 9999")
