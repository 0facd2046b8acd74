"""What a run begins with: a repository with one script, and rules that run it every minute and tell of each end."""

import hashlib
import subprocess
from pathlib import Path
from typing import Any

from pabal.apps.rules.actions import rules
from pabal.base.database import Database
from pabal.engine.misfires import Overlap
from pabal.platform import tenants
from pabal.platform.actor import ENGINE

# It starts a process of its own session, which nobody would end with it, and makes a file that says whose it is.
SCRIPT = """import asyncio
import subprocess

from pabal_rules import rule


@rule("work")
async def work(payload, context):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    print("at work")
    await asyncio.sleep(payload["seconds"])
    context.artifact("report.txt", context.run_id * payload["times"])
    return {"message": "worked"}
"""
TIMES = 4000
ATTEMPTS = 4
ENDED = "survival.ended"
_TOLD = [{"type": "event", "config": {"name": ENDED}, "when": "always"}]
_SCRIPT = {
    "execution_script_path": "work.py",
    "max_attempts": ATTEMPTS,
    "retry_seconds": 1,
    "timeout_seconds": 30,
}
_CONDITION = {
    "source": "offline_quote",
    "condition": {"path": "price", "op": ">=", "value": 1},
    "payload": {"ticker": "AAPL", "price": 2},
}
# every minute, at once or one after the other; a moment that came while the database was away is made up for
RULES: tuple[dict[str, Any], ...] = (
    *({**_SCRIPT, "overlap": Overlap.ALLOW, "payload": {"seconds": 0.2 * n, "times": TIMES}} for n in range(1, 5)),
    {**_SCRIPT, "overlap": Overlap.QUEUE, "payload": {"seconds": 1.0, "times": TIMES}},
    {**_SCRIPT, "overlap": Overlap.SKIP, "payload": {"seconds": 5.0, "times": TIMES}},
    *({**_CONDITION, "overlap": Overlap.ALLOW} for _ in range(4)),
)


def expected_of(run_id: str) -> str:
    """The SHA-256 of the file that a run makes."""
    return hashlib.sha256((run_id * TIMES).encode()).hexdigest()


def lay_scripts(folder: Path) -> None:
    folder.mkdir()
    (folder / "work.py").write_text(SCRIPT)
    person = ("-c", "user.name=survival", "-c", "user.email=survival@example.org")
    for words in (("init", "--quiet"), ("add", "."), (*person, "commit", "--quiet", "--message", "Begin")):
        subprocess.run(["git", *words], cwd=folder, check=True)


async def lay(database: Database) -> None:
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        for number, given in enumerate(RULES):
            told = {"on_success": _TOLD, "on_failure": _TOLD}
            await rules.create_rule(
                tx,
                ENGINE,
                unit_id=hq.id,
                name=f"rule {number}",
                schedule="* * * * *",
                misfire="run_all",
                misfire_max=100,
                **told,
                **given,
            )
