"""The server processes of a run: started, killed, stopped, and started again at once."""

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from chaos import starting
from chaos.history import History
from chaos.starting import Process
from chaos.worker import life_mark
from pabal.base.clock import elapsed


@dataclass(slots=True)
class Member:
    slot: int
    process: Process
    started_at: float
    stopped_until: float | None = None
    retired_at: float | None = None

    @property
    def is_at_work(self) -> bool:
        """Long enough at work to have something in its hands."""
        is_free = self.stopped_until is None and self.retired_at is None and self.process.poll() is None
        return is_free and elapsed() - self.started_at > 1.5


class Crew:
    def __init__(self, folder: Path, url: str, seed: int, history: History, *, ttl: float) -> None:
        self._folder = folder
        self._environment = {**os.environ, "PABAL_DATABASE_URL": url}
        self._seed = seed
        self._history = history
        self._ttl = ttl
        self._starts = 0
        self._is_closing = False
        self.members: list[Member] = []
        self.hung = 0
        # served, and ended by an error of their own
        self.broken = 0

    def start(self, size: int) -> None:
        (self._folder / "log").mkdir()
        (self._folder / "serving").mkdir()
        self.members = [self._start(slot) for slot in range(size)]

    def start_producer(self) -> Process:
        return self._run("producer", "--seed", str(self._seed))

    def at_work(self) -> list[Member]:
        return [member for member in self.members if member.is_at_work]

    def serving(self) -> list[Member]:
        return [member for member in self.members if member.is_at_work and self._is_serving(member)]

    def watch_once(self) -> None:
        """Starts again what is gone, and lets go on what was stopped long enough."""
        for n, member in enumerate(self.members):
            if member.stopped_until is not None and elapsed() >= member.stopped_until:
                self._let_go_on(member)
            if member.retired_at is not None and elapsed() - member.retired_at > 20 and member.process.poll() is None:
                self.hung += 1
                self._history.write("hung", pid=member.process.pid)
                member.process.kill()
            if member.process.poll() is not None and not self._is_closing:
                self._history.write("gone", pid=member.process.pid, code=member.process.returncode)
                self.broken += self._is_serving(member) and member.process.returncode > 0
                self.members[n] = self._start(member.slot)

    def kill(self, member: Member, *, is_vanishing: bool) -> None:
        self._history.write("kill", pid=member.process.pid, slot=member.slot)
        member.process.kill()
        member.process.wait()
        if is_vanishing:
            shutil.rmtree(self._folder / "locks" / str(member.slot), ignore_errors=True)

    def stop(self, member: Member, seconds: float) -> None:
        self._history.write("stop", pid=member.process.pid, seconds=seconds)
        member.process.send_signal(signal.SIGSTOP)
        member.stopped_until = elapsed() + seconds

    def retire(self, member: Member) -> None:
        self._history.write("retire", pid=member.process.pid)
        member.process.terminate()
        member.retired_at = elapsed()

    def close(self) -> list[Member]:
        """Asks all to stop; answers those that had to be killed because they did not."""
        self._is_closing = True
        for member in self.members:
            self._let_go_on(member)
            if member.process.poll() is None:
                member.process.terminate()
        return [member for member in self.members if not _has_ended(member.process, seconds=30)]

    def kill_all(self) -> None:
        self._is_closing = True
        for member in self.members:
            member.process.kill()
            member.process.wait()

    def _let_go_on(self, member: Member) -> None:
        if member.stopped_until is not None:
            member.process.send_signal(signal.SIGCONT)
            self._history.write("continue", pid=member.process.pid)
            member.stopped_until = None

    def _start(self, slot: int) -> Member:
        self._starts += 1
        seed = f"{self._seed}-{slot}-{self._starts}"
        process = self._run("worker", "--slot", str(slot), "--ttl", str(self._ttl), "--seed", seed)
        self._history.write("started", pid=process.pid, slot=slot)
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        """It has a life, and so jobs that somebody must rescue."""
        return life_mark(self._folder, member.process.pid).exists()

    def _run(self, module: str, *arguments: str) -> Process:
        given = ("--folder", str(self._folder), *arguments)
        with (self._folder / "log" / f"{module}-{self._starts}.log").open("wb") as log:
            return starting.start(f"chaos.{module}", given, self._environment, log)


def _has_ended(process: Process, *, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True
