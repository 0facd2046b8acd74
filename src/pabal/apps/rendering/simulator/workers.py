"""WorkerPool: render machines that do what nexrender's worker does with a job, in the time the options say."""

import asyncio
import hashlib
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from pabal.apps.rendering.simulator.faults import OUTPUT_FAULTS, Fault, FaultKind, FaultList
from pabal.apps.rendering.simulator.films import Film, make_film, make_short_film
from pabal.apps.rendering.simulator.journal import (
    CopyBegan,
    CopyEnded,
    FarmChange,
    FarmJournal,
    JobPicked,
    RenderBegan,
    RenderEnded,
    moment,
)
from pabal.apps.rendering.simulator.local_paths import NoSuchDrive, find_local, find_source
from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.table import Job, JobRefused, JobTable, show_now, show_status
from pabal.base.clock import host_time

_COPY = "@nexrender/action-copy"
_EXECUTOR = "127.0.0.1"
_CHUNKS = 8
_NO_COMPOSITION = "No comp was found with the given name."


class RenderFailed(Exception):
    """With the text nexrender would report."""


class WorkerPool:
    """`is_up`: whether the workers reach their server. `on_change` is called after every change of the table."""

    def __init__(
        self,
        options: NexrenderOptions,
        table: JobTable,
        faults: FaultList,
        journal: FarmJournal,
        *,
        is_up: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        self.options, self.table, self.faults, self.journal = options, table, faults, journal
        self._is_up, self._on_change = is_up, on_change
        self._renders = count(1)
        self._workers: dict[int, asyncio.Task[None]] = {}
        self._released = asyncio.Event()
        self.skipped = asyncio.Event()
        self.hanging = 0  # renders that wait for `release`

    def start(self, number: int) -> None:
        if number not in self._workers:
            self._workers[number] = asyncio.create_task(self._work(number), name=f"nexrender worker {number}")

    def start_all(self) -> None:
        for number in range(1, self.options.workers + 1):
            self.start(number)

    async def kill(self, number: int) -> None:
        """Its job stays as it is: the server has no lease."""
        worker = self._workers.pop(number, None)
        if worker is not None:
            worker.cancel()
            with suppress(asyncio.CancelledError):
                await worker
            self.journal.add(FarmChange(moment(), "worker_killed", detail=str(number)))

    async def stop(self) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    @property
    def running(self) -> list[int]:
        return sorted(self._workers)

    def release(self) -> None:
        """Renders that hang go on; one that has not come so far yet will hang."""
        self._released.set()
        self._released = asyncio.Event()
        self.hanging = 0

    def skip(self) -> None:
        """As when a long time went by: renders under way take no more of it, and what hangs goes on."""
        self.skipped.set()
        self.skipped = asyncio.Event()
        self.release()

    async def _work(self, number: int) -> None:
        while True:
            job = self.table.pick_up(_EXECUTOR) if self._is_up() else None
            if job is None:
                await self._wait_for_job()
                continue
            self.journal.add(JobPicked(moment(), str(job["uid"]), number))
            self._on_change()
            await _Render(self, number, next(self._renders), job).run()

    async def _wait_for_job(self) -> None:
        if self.options.polling_seconds:
            await asyncio.sleep(self.options.polling_seconds)
        else:
            await self.journal.until(
                lambda: self._is_up() and any(job["state"] == "queued" for job in self.table.rows), None
            )

    def report(self, uid: str, fields: Job) -> Job | None:
        """A PUT. None: the server is away, does not know the job, or refuses."""
        if not self._is_up():
            return None
        try:
            merged = self.table.put(uid, fields)
        except JobRefused:
            return None
        self._on_change()
        return merged

    async def until_released(self) -> None:
        self.hanging += 1
        await self._released.wait()


class _Render:
    """One render of one job: the worker's own copy of it, from `started` to its last report."""

    def __init__(self, pool: WorkerPool, worker: int, number: int, job: Job) -> None:
        self.pool, self.worker, self.number = pool, worker, number
        self.job = dict(job)
        self.uid = str(job["uid"])
        self.composition = str(job["template"]["composition"])
        self.seconds = self._draw_seconds()
        self._skipped = pool.skipped

    async def run(self) -> None:
        self.job.update(state="started", startedAt=show_now())
        if self.pool.report(self.uid, self.job) is None:
            return self._end("abandoned", is_reported=False)
        begun = RenderBegan(moment(), self.number, self.uid, self.worker, self.composition, self.seconds)
        self.pool.journal.add(begun)
        try:
            await self._perform()
        except asyncio.CancelledError:
            self._end("killed", is_reported=False)
            raise
        except RenderFailed as failure:
            return self._fail(str(failure))
        self.job.update(state="finished", finishedAt=show_now())
        return self._end("finished", is_reported=self._report())

    async def _perform(self) -> None:
        for stage in ("setup", "predownload", "download"):
            self._enter(stage)
        self._read_sources()
        for stage in ("postdownload", "prerender", "script", "dorender"):
            self._enter(stage)
        await self._advance()
        made = await self._make_output()
        self._enter("postrender")
        await self._run_actions(made)
        self._enter("cleanup")

    def _enter(self, stage: str) -> None:
        """A worker keeps its stages to itself: they reach the server as timings, with its next report."""
        self.job["state"] = f"render:{stage}"
        self.job["timings"] = {**(self.job.get("timings") or {}), self.job["state"]: int(host_time() * 1000)}

    def _read_sources(self) -> None:
        template = self.job["template"]
        if self._take(FaultKind.MISSING_TEMPLATE):
            raise RenderFailed(_name_missing(str(template["src"])))
        if self.pool.options.reads_sources:
            for asset in (template, *self.job["assets"]):
                self._read_source(str(asset.get("src") or ""))

    def _read_source(self, src: str) -> None:
        try:
            path = find_source(src, self.pool.options.folders)
        except NoSuchDrive:
            raise RenderFailed(_name_missing(src)) from None
        if path is not None and not path.is_file():
            raise RenderFailed(_name_missing(str(path)))

    async def _advance(self) -> None:
        if self._take(FaultKind.MISSING_COMPOSITION):
            raise RenderFailed(f"Error: aerender ERROR: {_NO_COMPOSITION}\n")
        hang, fail = self._take(FaultKind.HANG), self._take(FaultKind.FAIL)
        steps = self.pool.options.steps
        for step in range(steps + 1):
            progress = step * 100 // steps
            if hang is not None and progress >= hang.value:
                await self._hang(hang)
                hang = None
            if fail is not None and progress >= fail.value:
                raise RenderFailed(fail.text)
            self.job["renderProgress"] = progress
            self._report()
            if step < steps:
                await self._spend(self.seconds / steps)

    async def _spend(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._skipped.wait()

    async def _hang(self, hang: Fault) -> None:
        self.job["renderProgress"] = int(hang.value)
        self._report()
        self._note("hung", f"{hang.value:g} %")
        await self.pool.until_released()

    async def _make_output(self) -> bytes:
        fault = next((one for kind in OUTPUT_FAULTS if (one := self._take(kind))), None)
        return await asyncio.to_thread(
            _make_video, self.pool.options.film, None if fault is None else fault.kind, self.composition, self.uid
        )

    async def _run_actions(self, made: bytes) -> None:
        """Without a copy action the file is thrown away with the working folder."""
        actions = self.job["actions"]
        found = (actions.get("postrender") if isinstance(actions, dict) else None) or []
        for action in found if isinstance(found, list) else [found]:
            if action["module"] != _COPY:
                module = action["module"]
                raise RenderFailed(f"Error: Error loading postrender module {module}: Could not require module")
            await self._copy(made, str(action.get("output") or ""))

    async def _copy(self, made: bytes, output: str) -> None:
        if self.pool.table.find(self.uid) is None and (late := self._take(FaultKind.LATE_COPY)):
            await asyncio.sleep(late.value)
        if not made:
            return
        try:
            path = find_local(output, self.pool.options.folders)
        except NoSuchDrive:
            raise RenderFailed(f"Error: no folder of the simulator is mapped to {output}") from None
        self.pool.journal.add(CopyBegan(moment(), self.number, self.uid, str(path)))
        try:
            await self._write(made, path)
        except OSError as error:
            text = f"Error: Error loading postrender module {_COPY}: Error: {error.strerror}, open '{path}'"
            raise RenderFailed(text) from error
        digest = hashlib.sha256(made).hexdigest()
        self.pool.journal.add(CopyEnded(moment(), self.number, self.uid, str(path), len(made), digest))

    async def _write(self, made: bytes, path: Path) -> None:
        """In place under its final name, as the copy action does it: a reader may find half of it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        seconds = self.pool.options.copy_seconds
        size = -(-len(made) // _CHUNKS) if seconds else len(made)
        with path.open("wb", buffering=0) as file:
            for start in range(0, len(made), size):
                file.write(made[start : start + size])
                if seconds:
                    await asyncio.sleep(seconds / _CHUNKS)

    def _fail(self, text: str) -> None:
        self._enter("cleanup")
        # a worker reports errors from the job as it was picked up, which knows of no progress
        self.job.update(state="error", errorAt=show_now(), error=text, renderProgress=0)
        self._end("error", error=text, is_reported=self._report())

    def _end(self, state: str, *, is_reported: bool, error: str = "") -> None:
        ended = RenderEnded(moment(), self.number, self.uid, self.worker, state, error, is_reported)
        self.pool.journal.add(ended)

    def _report(self) -> bool:
        return self.pool.report(self.uid, show_status(self.job)) is not None

    def _take(self, kind: FaultKind) -> Fault | None:
        fault = self.pool.faults.take(kind, self.uid, self.composition)
        if fault is not None:
            self._note("fault", kind.value)
        return fault

    def _note(self, what: str, detail: str) -> None:
        self.pool.journal.add(FarmChange(moment(), what, self.uid, detail))

    def _draw_seconds(self) -> float:
        """By seed and uid, so that a job takes the same time whoever renders it and in whatever order."""
        options = self.pool.options
        if (fixed := options.composition_seconds.get(self.composition)) is not None:
            return fixed
        return random.Random(f"{options.seed}:{self.uid}").uniform(*options.seconds)


def _make_video(film: Film, fault: FaultKind | None, composition: str, uid: str) -> bytes:
    match fault:
        case FaultKind.NO_FILE:
            return b""
        case FaultKind.SHORT_FILE:
            return make_short_film(film, composition=composition, uid=uid)
        case FaultKind.BROKEN_FILE:
            made = make_film(film, composition=composition, uid=uid)
            return made[: len(made) // 2]
        case FaultKind.WRONG_SIZE:
            other = replace(film, width=film.width * 2 // 3 // 2 * 2, height=film.height * 2 // 3 // 2 * 2)
            return make_film(other, composition=composition, uid=uid)
    return make_film(film, composition=composition, uid=uid)


def _name_missing(path: str) -> str:
    return f"Error: ENOENT: no such file or directory, open '{path}'"
