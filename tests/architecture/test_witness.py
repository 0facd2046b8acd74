"""The simulated bot is a witness: it shares no code with the server it watches (decision 18)."""

import re
from pathlib import Path

from tests.architecture.source import PROJECT, files, write

APP = "src/pabal/apps/messaging"
ROOMS = {"simulator": "listener", "listener": "simulator"}


def shared_faults(root: Path) -> list[str]:
    return [
        str(path.relative_to(root))
        for room, other in ROOMS.items()
        for path in files(root, "*.py", folders=(f"{APP}/{room}",))
        if re.search(rf"\bpabal\.apps\.messaging\.{other}\b", path.read_text(encoding="utf-8"))
    ]


def test_the_simulated_bot_and_the_bot_server_share_no_code() -> None:
    assert shared_faults(PROJECT) == []


def test_a_shared_module_is_caught(tmp_path: Path) -> None:
    write(tmp_path, f"{APP}/simulator/bot.py", "from pabal.apps.messaging.listener.wire import read_packet\n")
    write(tmp_path, f"{APP}/listener/wire.py", "import json\n")

    assert shared_faults(tmp_path) == [f"{APP}/simulator/bot.py"]
