"""Proves the promises from the phones' logs and the tables: python -m chaos.messaging.checker FOLDER URL."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from chaos.messaging import checks
from chaos.messaging.evidence import Evidence, gather
from chaos.messaging.report import Figures, Report
from chaos.report import Finding

CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    checks.one_end,
    checks.received_once,
    checks.handled_arrived,
    checks.reasons_are_given,
    checks.order_is_kept,
    checks.windows_are_kept,
    checks.nothing_strange,
)


async def check(folder: Path, url: str) -> Report:
    evidence = await gather(folder, url)
    # The database goes with the run; this is what a violation is traced in.
    (folder / "evidence.json").write_text(json.dumps(asdict(evidence), ensure_ascii=False, default=str))
    return Report([examine(evidence) for examine in CHECKS], Figures.of(evidence))


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos.messaging.checker", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    given = parser.parse_args()
    report = asyncio.run(check(given.folder, given.url))
    for line in report.lines():
        print(line)
    return 0 if report.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
