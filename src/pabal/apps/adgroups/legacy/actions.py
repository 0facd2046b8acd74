"""Bringing old ad groups over: a dry run, the run itself, going on after a crash, taking it back; its report."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from pabal.apps.adgroups.errors import RunBusy, RunNotFound, WrongRunState
from pabal.apps.adgroups.legacy import runs
from pabal.apps.adgroups.legacy.model import FromFile, FromTable, Mode, Origin, Refusal, Row, Run, RunState, about_run
from pabal.apps.adgroups.legacy.moving import move_slice, undo_slice
from pabal.apps.adgroups.legacy.old_rows import Planned, Raw, plan_row, read_csv, read_table
from pabal.apps.adgroups.legacy.runs import Found, NewRun
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.settings import ONE_TRANSACTION_ROWS
from pabal.base.database import Database, Tx
from pabal.engine.listing.paging import Page
from pabal.engine.queue import NewJob, enqueue
from pabal.platform import audit, settings, storage
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.services import Services
from pabal.platform.storage import Content, File, Upload
from pabal.platform.tenants import UnitNotFound, require_house, visible_to

MIGRATE = "adgroups.migrate"
# A server may be killed now and then during a long one; each time it has come further.
MOST_RECOVERIES = 20
Tell = Callable[[dict[str, Any]], Awaitable[None]]
REPORT_LINES = 10_000
MOST_BYTES = 10 * 1024**3
HEADER = b"\xef\xbb\xbfn,id,name,calculated,state,marks,refused,problem,outcome,ad_group\r\n"


async def dry_run(services: Services, actor: Actor, origin: Origin, unit_id: int | None = None) -> Run:
    """Reads and maps everything, and saves what it found as a report. No ad group is made or changed."""
    actor.require(Right.MANAGE, AREA)
    content = None if not isinstance(origin, FromFile) else await _open(services, actor, origin.file_id)
    async with services.database.transaction() as tx:
        run = await _plan(tx, actor, origin, content, unit_id)
    await write_report(services, run)
    async with services.database.transaction() as tx:
        return await get_run(tx, actor, run.id)


async def start(tx: Tx, actor: Actor, run_id: int, mode: Mode | None = None) -> Run:
    """What was planned is done, by a job. `mode` None: one transaction up to as many rows as the setting says."""
    run = await _hold(tx, actor, run_id, RunState.PLANNED)
    if mode is None:
        few = run.rows <= await settings.value(tx, ONE_TRANSACTION_ROWS)
        mode = Mode.ONE_TRANSACTION if few else Mode.BATCHES
    await runs.move_run(tx, run, RunState.RUNNING, mode=mode)
    return await _ordered(tx, actor, run, "start_migration", {"mode": mode, "rows": run.rows})


async def resume(tx: Tx, actor: Actor, run_id: int) -> Run:
    """Goes on after the last checkpoint, whichever way it was going."""
    run = await _hold(tx, actor, run_id, RunState.RUNNING, RunState.FAILED, RunState.ROLLING_BACK)
    if run.state is RunState.FAILED:
        await runs.move_run(tx, run, RunState.RUNNING)
    said = {"checkpoint": run.checkpoint}
    return await _ordered(tx, actor, run, "resume_migration", said, back=run.state is RunState.ROLLING_BACK)


async def rollback(tx: Tx, actor: Actor, run_id: int, *, even_touched: bool = False) -> Run:
    """Removes what it made and restores what it changed; what people changed since is kept, unless `even_touched`."""
    run = await _hold(tx, actor, run_id, RunState.RUNNING, RunState.DONE, RunState.FAILED)
    await runs.move_run(tx, run, RunState.ROLLING_BACK, even_touched=even_touched)
    return await _ordered(tx, actor, run, "roll_back_migration", {"even_touched": even_touched}, back=True)


async def discard(tx: Tx, actor: Actor, run_id: int) -> None:
    """A plan nobody wants."""
    run = await _hold(tx, actor, run_id, RunState.PLANNED)
    await storage.release_all(tx, [run.about])
    await runs.delete_run(tx, run_id)
    before = {"rows": run.rows}
    await audit.record(tx, actor, "adgroups.discard_migration", run.about, unit_id=run.unit_id, before=before)


async def work(services: Services, run_id: int, tell: Tell | None = None) -> Run:
    """What the job does: on from the last checkpoint to the end, and the report. May be killed anywhere."""
    run = await _find(services.database, run_id)
    if run.mode is Mode.ONE_TRANSACTION:
        async with services.database.transaction() as tx:
            while await _step(tx, run_id):
                pass
    else:
        while await _commit_step(services.database, run_id):
            if tell is not None:
                run = await _find(services.database, run_id)
                await tell({"checkpoint": run.checkpoint, "rows": run.rows})
    run = await _find(services.database, run_id)
    if run.state in (RunState.DONE, RunState.ROLLED_BACK) and run.report_file_id is None:
        await write_report(services, run)
    return await _find(services.database, run_id)


async def get_run(tx: Tx, actor: Actor, run_id: int) -> Run:
    actor.require(Right.READ, AREA)
    return await runs.get_run(tx, await visible_to(tx, actor), run_id)


async def list_runs(tx: Tx, actor: Actor, cursor: str | None = None, limit: int = 50) -> Page[Run]:
    actor.require(Right.READ, AREA)
    return await runs.list_runs(tx, await visible_to(tx, actor), cursor=cursor, limit=limit)


async def list_rows(
    tx: Tx, actor: Actor, run_id: int, *, only: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Row]:
    await get_run(tx, actor, run_id)
    return await runs.list_rows(tx, run_id, only, cursor, limit)


async def get_report(tx: Tx, actor: Actor, run_id: int) -> File:
    """What was planned, or once it has ended, what became of every row."""
    run = await get_run(tx, actor, run_id)
    file_id = run.report_file_id or run.plan_file_id
    if file_id is None:
        raise RunNotFound(f"{run.about} has no report yet")
    return await storage.get_file(tx, await visible_to(tx, actor), file_id)


async def _open(services: Services, actor: Actor, file_id: int) -> Content:
    async with services.database.transaction() as tx:
        file = await storage.get_file(tx, await visible_to(tx, actor), file_id)
    return await storage.read(services.files, file)


async def _plan(tx: Tx, actor: Actor, origin: Origin, content: Content | None, unit_id: int | None) -> Run:
    """One commit, so that there is no half of a plan; the file is read inside it, from the disk."""
    if isinstance(origin, FromTable):
        # the table holds everybody's
        await require_house(tx, actor, Right.MANAGE, AREA)
    scope = await visible_to(tx, actor, within=unit_id)
    if scope.unit_id is None:
        raise UnitNotFound("no unit to own what is brought over")
    file_id = origin.file_id if isinstance(origin, FromFile) else None
    source = "table" if file_id is None else "csv"
    run_id = await runs.insert_run(tx, NewRun(scope.unit_id, source, file_id, actor.name))
    found = await stage(tx, run_id, read_table(tx) if content is None else read_csv(content.chunks))
    if file_id is not None:
        await storage.keep(tx, await visible_to(tx, actor), file_id, about_run(run_id))
    after = {"source": source, "rows": found.rows, "refused": found.refusals.total()}
    await audit.record(tx, actor, "adgroups.plan_migration", about_run(run_id), unit_id=scope.unit_id, after=after)
    return await get_run(tx, actor, run_id)


async def _hold(tx: Tx, actor: Actor, run_id: int, *states: RunState) -> Run:
    actor.require(Right.MANAGE, AREA)
    await get_run(tx, actor, run_id)
    run = await runs.hold_run(tx, run_id)
    if run is None:
        raise RunBusy(about_run(run_id))
    if run.state not in states:
        raise WrongRunState(f"{run.about} is {run.state}")
    return run


async def _ordered(tx: Tx, actor: Actor, run: Run, verb: str, said: dict[str, Any], *, back: bool = False) -> Run:
    await audit.record(tx, actor, f"adgroups.{verb}", run.about, unit_id=run.unit_id, after=said)
    job = NewJob(
        MIGRATE,
        {"run_id": run.id},
        # one each way: whoever turns back while it ends must not be told that it is under way
        key=f"{run.id} {'back' if back else 'there'}",
        lane=MIGRATE,
        about=run.about,
        max_recoveries=MOST_RECOVERIES,
        unit_id=run.unit_id,
    )
    await enqueue(tx, job)
    return await get_run(tx, actor, run.id)


async def _find(database: Database, run_id: int) -> Run:
    async with database.transaction() as tx:
        return await runs.find_run(tx, run_id)


async def _commit_step(database: Database, run_id: int) -> bool:
    async with database.transaction() as tx:
        return await _step(tx, run_id)


async def _step(tx: Tx, run_id: int) -> bool:
    run = await runs.hold_run(tx, run_id)
    if run is None:
        raise RunBusy(about_run(run_id))
    if run.state is RunState.RUNNING:
        return await move_slice(tx, run)
    return await undo_slice(tx, run) if run.state is RunState.ROLLING_BACK else False


async def stage(tx: Tx, run_id: int, slices: AsyncIterator[list[Raw]]) -> Found:
    """Of rows with one id the first counts."""
    found, known = Found(), set[str]()
    async for slice_ in slices:
        planned = _plan_rows(slice_, found.rows, tx.now, known)
        await runs.add_rows(tx, run_id, planned)
        found.count(planned)
    await runs.end_plan(tx, run_id, found)
    return found


def _plan_rows(slice_: Sequence[Raw], before: int, now: datetime, known: set[str]) -> list[Planned]:
    planned = [plan_row(n, raw, now) for n, raw in enumerate(slice_, start=before + 1)]
    for one in planned:
        if one.legacy_id is None:
            continue
        if one.legacy_id in known:
            one.refusal, one.state, one.calculated, one.marks = Refusal.DUPLICATE_ID, None, None, []
        known.add(one.legacy_id)
    return planned


async def write_report(services: Services, run: Run) -> None:
    """It stays as long as its run; written twice, the later one counts."""
    what = "plan" if run.state is RunState.PLANNED else run.state
    upload = Upload(_report_lines(services.database, run.id), f"ad-groups-{run.id}-{what}.csv", run.unit_id, AREA)
    file = await storage.accept_file(services.database, services.files, ENGINE, upload, max_bytes=MOST_BYTES)
    async with services.database.transaction() as tx:
        await storage.keep(tx, await visible_to(tx, ENGINE), file.id, run.about)
        await runs.set_file(tx, run, file.id)


async def _report_lines(database: Database, run_id: int) -> AsyncIterator[bytes]:
    yield HEADER
    after = 0
    while True:
        async with database.transaction() as tx:
            found = await runs.show_lines(tx, run_id, after, REPORT_LINES)
        if found is None:
            return
        after = found[0]
        yield found[1].encode()
