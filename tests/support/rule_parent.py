"""A server with a script that starts others, to be killed. Arguments: repository, cache, run, level, lease."""

import asyncio
import sys
from pathlib import Path

from pabal.apps.rules.outside import supervised
from pabal.apps.rules.scripts import ScriptRun, probe_isolation, run_script
from tests.support.rule_scripts import UNCONTAINED


async def main() -> None:
    repository, cache, run_id, level, lease = sys.argv[1:]
    supervised.LEASE_SECONDS = float(lease)
    isolation = probe_isolation() if level == "contained" else UNCONTAINED
    run = ScriptRun(run_id, Path(repository), "check.py", None, {}, {}, cache=Path(cache), isolation=isolation)

    async def show(stream: str, line: str) -> None:
        print(line, flush=True)

    print(await run_script(run, on_line=show, stop=asyncio.Event()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
