"""Who is there of which run, by what the kernel says: every process that carries a run's mark, from first sight to last."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from chaos.history import History
from chaos.monkey import Monkey
from chaos.plan import Fault
from chaos.rules.crew import RuleCrew
from pabal.apps.rules.scripts.running import MARK

_MARK = f"{MARK}=".encode()


class Witness:
    """`crew` says which servers are there: a process's own is found by its parents."""

    def __init__(self, crew: RuleCrew, history: History) -> None:
        self._crew, self._history = crew, history
        self._seen: dict[tuple[int, str], str] = {}

    def look_once(self) -> None:
        """Writes down what is new and what has gone."""
        servers = {member.process.pid for member in self._crew.members}
        now = {(pid, birth): run for pid, birth, run in _list_marked(servers, set(self._seen.values()))}
        for key in now.keys() - self._seen.keys():
            server = _find_server(key[0], servers)
            self._history.write("process", process=key[0], birth=key[1], run=now[key], server=server)
        for key in self._seen.keys() - now.keys():
            self._history.write("process gone", process=key[0], birth=key[1], run=self._seen[key])
        self._seen = now

    @property
    def pids(self) -> list[int]:
        return sorted(pid for pid, _ in self._seen)


class RuleMonkey(Monkey):
    """Ends processes of scripts too: the script, what it started, or the supervisor itself."""

    witness: Witness

    async def _hurt(self, fault: Fault) -> None:
        if fault.what != "script":
            await super()._hurt(fault)
            return
        self.witness.look_once()
        pids = self.witness.pids
        if pids:
            with suppress(ProcessLookupError):
                os.kill(pids[int(fault.choice * len(pids))], signal.SIGKILL)
                self._history.write("script killed")
                self.done["script"] += 1


def _list_marked(servers: set[int], known: set[str]) -> list[tuple[int, str, str]]:
    """Of this run of chaos alone: other servers of this machine have scripts, too. A run is known by a process that was
    seen below one of our servers, and stays known."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, IndexError, ValueError):
            environment = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            marks = [one.removeprefix(_MARK).decode() for one in environment if one.startswith(_MARK)]
            fields = _read_stat(int(name))
            if marks and fields[0] not in "ZX":
                found.append((int(name), fields[19], marks[0]))
    ours = known | {run for pid, _, run in found if _find_server(pid, servers) is not None}
    return [one for one in found if one[2] in ours]


def _find_server(pid: int, servers: set[int]) -> int | None:
    with suppress(OSError, IndexError, ValueError):
        while pid > 1:
            pid = int(_read_stat(pid)[1])
            if pid in servers:
                return pid
    return None


def _read_stat(pid: int) -> list[str]:
    """Behind the name, which may hold anything: state, parent, …, birth."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
