"""`pabal sim bot`: what a person sees of it."""

import asyncio
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pabal.apps.messaging.errors import BadBotServer, BadSimulatedRoom
from pabal.apps.messaging.simulator.command import say_arrival, say_change
from pabal.apps.messaging.simulator.options import Change, Room, read_room, read_servers
from pabal.apps.messaging.simulator.witness import Image, Reason, Received, read_log
from pabal.platform.language.pairs import Lang
from tests.apps.messaging.simulator.tiny_server import PING, TinyServer, image_packet, text_packet
from tests.support.cli import ROOT, environment

AT = datetime(2026, 11, 16, 3, 30, tzinfo=UTC)
ONE = (Image("0" * 64, 412_300),)
# As the command tree does it, with the one command.
PROGRAM = """
import typer
from pabal.apps.messaging.simulator.command import bot
from pabal.cli.shell import Shell
app = typer.Typer()
app.command()(bot)
app(obj=Shell(wanted_lang="ko"))
"""


async def test_arrivals_are_on_stdout_and_the_connection_on_stderr(tmp_path: Path) -> None:
    log = tmp_path / "arrivals.jsonl"

    async with TinyServer() as server:
        options = ["--name", "LOA.i", "--server", f"127.0.0.1:{server.port}", "--room", "해운대점=18390001"]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", PROGRAM, *options, "--log", str(log)),
            cwd=ROOT,
            env=environment(PABAL_SIM_SECRET="a secret of ours", PABAL_SIM_SALT="salt"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        heard = await server.until(lambda heard: "message" in heard.events)
        server.send(PING, text_packet("첫 줄\x1b[2J\n둘째 줄"), image_packet(b"x" * 412_300, b"y"))
        lines = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        rest, told = await process.communicate()

    assert [line.split("  ", 1)[1] for line in lines] == ["해운대점  첫 줄 [2J\n", "18390001  그림 2장 · 412 kB\n"]
    assert (process.returncode, rest) == (0, b"")
    assert told.decode() == f"127.0.0.1:{server.port}에 연결했습니다. 승인된 기기입니다.\n"
    assert heard.data("message")["room"] == "해운대점"
    assert "signature" in heard.data("pong")["auth"]
    assert [one.kind for one in read_log(log)] == ["text", "image"]


@pytest.mark.parametrize(
    ("kind", "text", "images", "lang", "said"),
    [
        ("text", "one\ntwo", (), "en", "방  one"),
        ("image", "", ONE, "en", "방  1 picture · 412 kB"),
        ("image", "", ONE * 3, "ko", "방  그림 3장 · 1,237 kB"),
        ("image", "https://a.test/1.jpg", (), "en", "방  media at https://a.test/1.jpg"),
    ],
)
def test_an_arrival_is_one_line(kind: str, text: str, images: tuple[Image, ...], lang: Lang, said: str) -> None:
    received = Received("bot", AT, 1, "방", "1", kind, text, images, 0, 100, "127.0.0.1:1490")

    assert say_arrival(received, lang).partition("  ")[2] == said


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("state", ["approved", "pending", "refused", "told", "lost", "unreachable", *Reason])
def test_every_change_has_words(state: str, lang: Lang) -> None:
    is_reason = state in Reason.__members__.values()
    change = Change(AT, "ignored" if is_reason else state, "127.0.0.1:1490", f"{state}: why")  # type: ignore[arg-type]

    said = say_change(change, lang)

    assert any("가" <= sign <= "힣" for sign in said) == (lang == "ko")
    assert "{" not in said


def test_addresses_are_read_as_people_write_them() -> None:
    assert read_servers(["127.0.0.1:1490,[::1]:1491", "bots.test:1"]) == [
        ("127.0.0.1", 1490),
        ("::1", 1491),
        ("bots.test", 1),
    ]
    assert read_room("a=b=18390001") == Room("a=b", "18390001")
    for wrong in ("1490", ":1490", "host:", "host:0", "host:65536", "host:일"):
        with pytest.raises(BadBotServer):
            read_servers([wrong])
    for wrong in ("", "방", "방=", "=1"):
        with pytest.raises(BadSimulatedRoom):
            read_room(wrong)
