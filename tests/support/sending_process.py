"""Servers that send until they die: python -m tests.support.sending_process URL FOLDER STAGE …

Each STAGE is a process of its own, forked once everything is imported; its bot has its name, and it ends at the second
packet, where the stage says. FOLDER/STAGE gets one line for each packet as it is taken: the witness.
"""

import asyncio
import os
import sys
from pathlib import Path

from pabal.apps.messaging.model.bots import route_of
from pabal.base import killpoints
from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE
from pabal.base.telemetry import start_logging
from pabal.platform.storage import Content, Files, Span
from pabal.platform.storage.model import WHOLE
from tests.support.botline import Desk


class DyingFiles(Files):
    """The picture of the second part is read after the first was marked as written."""

    async def open(self, key: str, span: Span = WHOLE) -> Content:
        os._exit(EXIT_CODE)


async def serve(url: str, folder: Path, stage: str) -> None:
    database = await Database.open(url, size=5)
    files = (DyingFiles if stage == "between" else Files)(folder / "files")
    desk = await Desk.begin(database, files, route_of(stage))
    (folder / f"{stage}.worker").write_text(str(desk.worker), encoding="utf-8")
    if stage == "performed":
        killpoints.arm("steps.performed")

    def die_at(wanted: str, number: int) -> None:
        if stage == wanted and number == 1:
            os._exit(EXIT_CODE)

    def taken(number: int) -> None:
        with (folder / stage).open("a", encoding="utf-8") as witness:
            witness.write(f"{'text' if isinstance(desk.line.sent[number].what, str) else 'image'}\n")
        die_at("taken", number)

    desk.line.before = lambda number: die_at("marked", number)
    desk.line.after = taken
    while await desk.run():
        pass


def main(url: str, folder: str, *stages: str) -> int:
    children = []
    for stage in stages:
        child = os.fork()
        if child == 0:
            asyncio.run(serve(url, Path(folder), stage))
            os._exit(0)
        children.append(child)
    codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
    return 0 if codes == {EXIT_CODE} else 1


if __name__ == "__main__":
    start_logging(level="warning")
    sys.exit(main(*sys.argv[1:]))
