"""The two kinds of work: take a backup (and let old ones go), and check that one can be brought back."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pabal.base.database import Database, Tx
from pabal.base.migrations import Migration
from pabal.base.telemetry import declare, emit
from pabal.engine import facts, queue, workers
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Cancel, Done, Outcome, Snooze
from pabal.engine.queue import NewJob
from pabal.platform import notifications, settings
from pabal.platform.backup import store
from pabal.platform.backup.dumping import Dumped, checksum, dump, find_faults, sweep_partials
from pabal.platform.backup.model import Backup, BackupNotFound, choose_old, name_file
from pabal.platform.backup.plan import CHECK, KEEP_DAYS, LANE, TAKE, is_check_due
from pabal.platform.notifications import Notice

# Until a server that has the file takes the check.
ELSEWHERE = timedelta(seconds=5)

declare("backup.taken", "Backups that succeeded")
declare("backup.failed", "Backups that did not succeed", level=logging.ERROR)
declare("backup.checked", "Restore checks by result", labels=("result",))


def make_kinds(database: Database, folder: Path, migrations: Sequence[Migration]) -> Kinds:
    """`folder` is where this server keeps its backups; `migrations` are all this server has."""
    kinds = Kinds()
    kinds.steps(TAKE, TakeBackup(database, folder))
    kinds.steps(CHECK, CheckBackup(database, folder, migrations))
    return kinds


def check_job(backup: Backup) -> NewJob:
    return NewJob(CHECK, {"backup_id": backup.id}, key=str(backup.id), lane=LANE, about=f"backup:{backup.id}")


@dataclass(frozen=True, slots=True)
class Begun:
    """`old` are the backups that go when this one has succeeded."""

    backup: Backup
    old: list[Backup]
    fire_at: datetime | None


class TakeBackup:
    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder.absolute()
        self._host = socket.gethostname()

    async def prepare(self, tx: Tx, job: Job) -> Begun:
        fire_at = job.args.get("fire_at")
        known = await store.list_all(tx)
        backup = await store.begin_backup(
            tx,
            job.id,
            requested_by=job.args.get("by"),
            host=self._host,
            folder=str(self._folder),
            file=name_file(tx.now, [one.file for one in known]),
        )
        days = await settings.value(tx, KEEP_DAYS)
        old = choose_old(known, tx.now, timedelta(days=days))
        old = [one for one in old if one.id != backup.id and self._may_delete(one)]
        return Begun(backup, old, None if fire_at is None else datetime.fromisoformat(fire_at))

    async def perform(self, job: Job, begun: Begun) -> Dumped:
        await asyncio.to_thread(sweep_partials, self._folder)
        dumped = await dump(self._database, self._folder / begun.backup.file, job.report)
        # Only now: until here an old one may be the only good one.
        for one in begun.old:
            (self._folder / one.file).unlink(missing_ok=True)
        return dumped

    async def record(self, tx: Tx, begun: Begun, dumped: Dumped) -> Outcome:
        await store.delete_backups(tx, [one.id for one in begun.old])
        backup = await store.end_backup(
            tx, begun.backup.id, size=dumped.size, sha256=dumped.sha256, counts=dumped.counts
        )
        await facts.record(tx, "backup.taken", f"backup:{backup.id}", backup.shown())
        if begun.fire_at is not None and await is_check_due(tx, begun.fire_at):
            await queue.enqueue(tx, check_job(backup))
        emit("backup.taken", file=backup.file, size=backup.size)
        return Done(f"{backup.file} on {backup.host}")

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        backup = await store.fail_backup(tx, job.id, reason)
        if backup is not None:
            await facts.record(tx, "backup.failed", f"backup:{backup.id}", {**backup.shown(), "reason": reason})
            emit("backup.failed", job=job.id, reason=reason)
            await notifications.notify(tx, _failed_notice(reason))

    def _may_delete(self, backup: Backup) -> bool:
        """A file on another host is that host's to delete."""
        return not backup.is_whole or backup.host == self._host or (self._folder / backup.file).is_file()


def _failed_notice(reason: str) -> Notice:
    return Notice(
        "backup.failed",
        title=("The backup failed", "백업에 실패했습니다"),
        text=("{reason}", "{reason}"),
        values={"reason": reason},
        level=notifications.Level.FAILURE,
        link="/backup",
        key="backup.failed",
    )


class CheckBackup:
    def __init__(self, database: Database, folder: Path, migrations: Sequence[Migration]) -> None:
        self._database = database
        self._folder = folder.absolute()
        self._migrations = migrations
        self._host = socket.gethostname()

    async def prepare(self, tx: Tx, job: Job) -> Backup | Outcome:
        try:
            backup = await store.get_backup(tx, job.args["backup_id"])
        except BackupNotFound as error:
            return Cancel(str(error))
        # By the file, not by the host's name alone: a container started anew has another name and the same folder.
        if (self._folder / backup.file).is_file() or backup.host == self._host:
            return backup
        hosts = {worker.host for worker in await workers.list_workers(tx) if worker.is_alive}
        if backup.host in hosts:
            return Snooze(tx.now + ELSEWHERE, f"the file is on {backup.host}")
        return Cancel(f"the file is on {backup.host}, where no server runs")

    async def perform(self, job: Job, backup: Backup) -> list[str]:
        path = self._folder / backup.file
        if not path.is_file():
            return [f"there is no file {path}"]
        await job.report({"step": "reading the file"})
        if await checksum(path) != backup.sha256:
            return ["the file is not as it was written"]
        await job.report({"step": "restoring into a scratch database"})
        return await find_faults(self._database, path, backup.counts or {}, self._migrations)

    async def record(self, tx: Tx, backup: Backup, faults: list[str]) -> Outcome:
        result, detail = ("bad", "; ".join(faults)) if faults else ("good", "")
        await _write_check(tx, backup.id, result=result, detail=detail)
        return Done(detail or f"{backup.file} brings everything back")

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await _write_check(tx, job.args["backup_id"], result="failed", detail=reason)


async def _write_check(tx: Tx, backup_id: int, *, result: str, detail: str) -> None:
    backup = await store.write_check(tx, backup_id, result=result, detail=detail)
    if backup is not None:
        said = {**backup.shown(), "result": result, "detail": detail}
        await facts.record(tx, "backup.checked", f"backup:{backup_id}", said)
        emit("backup.checked", result=result, file=backup.file, detail=detail)
