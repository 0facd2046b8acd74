"""One run from the first server to the last word of the checks, in a folder and a PostgreSQL of its own."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chaos import survival
from chaos.armed import SERVERS
from chaos.history import History
from chaos.plan import STOP_SECONDS
from chaos.rendering import ground
from chaos.rendering.checks import CHECKS
from chaos.rendering.crew import RenderCrew
from chaos.rendering.evidence import SQL, Evidence, gather, read_name
from chaos.rendering.people import People
from chaos.rendering.places import Places
from chaos.rendering.plan import make_plan
from chaos.rendering.report import Report
from chaos.rendering.server import APP
from chaos.rendering.trouble import RenderMonkey
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.survival import PATIENCE, Chosen, count_left, wait_for
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slices

# A render that hung is taken away by its clock, up to three times.
SETTLE_SECONDS = 120.0
# renders asked for: more than come about when nothing is slow
MOST_A_SECOND, MOST_OF_SHORT = 4, 60


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        places = Places(stage.folder)
        async with cluster(places.folder / "pg") as url:
            await _lay(url, places)
            done = await _survive(chosen, places, url, say)
            survival.keep_logs(places.folder)
            evidence = await gather(places, url)
            _keep(places.folder, evidence)
            report = Report.of([examine(evidence) for examine in CHECKS], evidence)
            report.judge(done, seconds=chosen.judged_seconds)
        stage.is_clean = report.is_good
        return report


def _keep(folder: Path, evidence: Evidence) -> None:
    """The database goes with the run; this is what a violation is traced in."""
    shown = {name: str(getattr(evidence, name)) for name in Evidence.__slots__ if name != "log"}
    (folder / "log" / "renders.log").write_text("\n".join(evidence.log))
    (folder / "evidence.json").write_text(json.dumps(shown, ensure_ascii=False, indent=1))


async def _lay(url: str, places: Places) -> None:
    database = await Database.open(url, size=2)
    try:
        await migrate(database, list_migrations(load_slices([APP])))
        await housekeeping.make_partitions(database)
        await ground.lay(database, places)
    finally:
        await database.close()


async def _survive(
    chosen: Chosen, places: Places, url: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    folder = places.folder
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    database = await Database.open(url, size=3)
    crew = RenderCrew(folder, url, chosen.seed, history)
    monkey = RenderMonkey(crew, places, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
    monkey.patience = PATIENCE
    people, watcher = People(database, history, chosen.seed), NasWatcher(places.nas, history)
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    crew.start_nexrender()
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2), repeat(watcher.look_once, 0.05)]
    asking: asyncio.Task[None] | None = None
    try:
        await wait_for(lambda: crew.are_serving)
        asking = asyncio.create_task(people.ask(max(MOST_OF_SHORT, int(MOST_A_SECOND * chosen.seconds))))
        await monkey.act(plan, elapsed())
        crew.is_over = True
        asking.cancel()
        await people.end()
        await monkey.calm()
        left = await until_none(lambda: count_left(database, SQL.count_left), seconds=SETTLE_SECONDS, pause=0.3)
        say(f"settled: {left} left")
    finally:
        for task in (*keeping, *([asking] if asking else [])):
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await asyncio.to_thread(crew.end_nexrender)
        await database.close()
    return monkey.done + crew.ends() + Counter(hung=hung)


class NasWatcher:
    """Somebody who opens whatever has a finished name, all the time."""

    def __init__(self, nas: Path, history: History) -> None:
        self._nas, self._history = nas, history
        self._seen: set[tuple[int, int]] = set()

    def look_once(self) -> None:
        try:
            found = {
                (number, path.stat().st_size) for path in self._nas.rglob("*.mp4") if (number := read_name(path.name))
            }
        except OSError:
            return
        for number, size in sorted(found - self._seen):
            self._history.write("seen", render=number, size=size)
        self._seen |= found
