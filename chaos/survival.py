"""What the runs with an app's servers share: how one is chosen, what it waits for, and what is kept of it."""

import argparse
import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaos.entry import carry_out, say
from chaos.report import Judged
from chaos.worker import AWAY
from pabal.base.database import Database
from pabal.base.sql import Statement

START_SECONDS = 90.0
# Most faults wait until both servers serve, which a busy machine takes its time for.
PATIENCE = 12.0


@dataclass(frozen=True)
class Chosen:
    seconds: float = 45.0
    seed: int = 1
    keep: bool = False
    is_any_enough: bool = False

    @property
    def judged_seconds(self) -> float:
        """How much a run must have judged follows these."""
        return 0.0 if self.is_any_enough else self.seconds


Running = Callable[[Chosen, Callable[[str], None]], Coroutine[Any, Any, Judged]]


def main(app: str, description: str | None, run: Running) -> None:
    """`python -m chaos.APP --seconds 45 --seed 1`. Ends with 1 on a violation, or when too little was judged."""
    parser = argparse.ArgumentParser(prog=f"chaos.{app}", description=description)
    parser.add_argument("--seconds", type=float, default=45.0, help="how long faults happen")
    parser.add_argument("--seed", type=int, default=1, help="decides which fault happens when")
    parser.add_argument("--keep", action="store_true", help="keep the logs of a good run too")
    parser.add_argument("--any", action="store_true", help="let a run count however little it did; for trying out")
    given = parser.parse_args()
    chosen = Chosen(given.seconds, given.seed, keep=given.keep, is_any_enough=given.any)
    sys.exit(carry_out(run(chosen, say), level="warning"))


async def wait_for(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(START_SECONDS):
        while not is_so():
            await asyncio.sleep(0.1)


async def count_left(database: Database, statement: Statement) -> int | None:
    """None while the database does not answer."""
    try:
        async with database.transaction() as tx:
            left: int = await tx.value(statement)
            return left
    except AWAY:
        return None


def keep_logs(folder: Path) -> None:
    for log in (folder / "pg").glob("**/log/*.log"):
        shutil.copy(log, folder / "log")


def keep_evidence(folder: Path, evidence: Any) -> None:
    """The database goes with the run; this is what a violation is traced in."""
    shown = {name: str(getattr(evidence, name)) for name in type(evidence).__slots__}
    (folder / "evidence.json").write_text(json.dumps(shown, ensure_ascii=False, indent=1))
