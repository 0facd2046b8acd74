"""How every run is carried out from the command line, and told."""

import asyncio
import logging
import signal
from collections.abc import Coroutine
from typing import Any

from chaos.report import Judged
from pabal.base.telemetry import start_logging


def carry_out(running: Coroutine[Any, Any, Judged], *, level: str) -> int:
    """1 on a violation or too little proof."""
    # asyncpg reports every failed try of its pool; here the database is down on purpose.
    logging.getLogger("asyncpg").setLevel(logging.CRITICAL)
    start_logging(level=level)
    # Whoever ends the run early ends its servers and its PostgreSQL with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = asyncio.run(running)
    for line in report.lines():
        say(line)
    return 0 if report.is_good else 1


def say(line: str) -> None:
    print(line, flush=True)
