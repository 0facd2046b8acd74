"""The same command line inside the test's process: for what needs no process of its own."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from pabal.cli.app import app, hoist
from tests.support.cli import Ran


@dataclass(frozen=True)
class Inside:
    """`await run("org", "tree")`; `said` is what comes on stdin."""

    folder: Path
    url: str

    async def __call__(self, *arguments: str, said: str = "", **settings: str) -> Ran:
        # None takes a variable away: nothing of the developer's own comes in.
        env = {
            **dict.fromkeys(("PABAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "PABAL_APPS"), None),
            "PABAL_CONFIG": "/nowhere/pabal.toml",
            "PABAL_DATABASE_URL": self.url,
            "PABAL_DATA_DIR": str(self.folder / "data"),
            **settings,
        }
        done = await asyncio.to_thread(CliRunner().invoke, app, hoist(arguments), input=said, env=env)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ran(done.exit_code, done.stdout, done.stderr)
