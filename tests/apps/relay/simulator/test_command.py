"""`pabal sim kakao` and `pabal sim openclaw`: what a person sees of them."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from pabal.apps.relay.simulator.command import say_exchange, say_trouble, show_channel, show_instance
from pabal.apps.relay.simulator.kakao import CallbackOutcome, CallbackUse, SkillCall
from pabal.apps.relay.simulator.openclaw import ConnectionChange, ConnectionState, MessageReceived, ReplySent
from pabal.apps.relay.simulator.skills import simple_text
from pabal.cli.shell import Shell
from pabal.platform.language.pairs import Lang
from tests.apps.relay.simulator.tiny_relay import CREATED, Heard, TinyRelay, event, letter
from tests.support.cli import ROOT, environment

AT = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
# As the command tree does it, with the two commands.
PROGRAM = """
import typer
from pabal.apps.relay.simulator.command import kakao, openclaw_instance
from pabal.cli.shell import Shell
app = typer.Typer()
app.command("kakao")(kakao)
app.command("openclaw")(openclaw_instance)
app(obj=Shell(wanted_lang="ko"))
"""
USE = CallbackUse(AT, "abc", 1, "u1", {}, CallbackOutcome.SHOWN, "", "task")
CALL = SkillCall(AT, 1, "u1", "안녕", {}, None, 200, simple_text("x"), 0.1, "")


async def start(*arguments: str, **given: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, *arguments),
        cwd=ROOT,
        env=environment(**given),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )


async def read_line(process: Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 30)).decode()


def echo(heard: Heard) -> Any:
    return 200, simple_text(heard.body["userRequest"]["utterance"] + "\x1b[2J\n둘째 줄")


async def test_lines_typed_are_said_and_bubbles_shown_until_the_input_ends(tmp_path: Path) -> None:
    log = tmp_path / "kakao.jsonl"

    async with TinyRelay(webhook=echo) as relay:
        options = ["--url", relay.url, "--user", "kim", "--port", "0", "--log", str(log)]
        process = await start("kakao", *options, PABAL_RELAY_SECRET="s3cret")
        out, told = await asyncio.wait_for(process.communicate("안녕\n\n끝".encode()), 30)

    shown = [line.partition("  ")[2] for line in out.decode().splitlines()]
    assert process.returncode == 0
    assert shown == ["안녕 [2J", "", "끝 [2J", ""]
    assert "PABAL_RELAY_CALLBACK_HOSTS=http://127.0.0.1:" in told.decode()
    assert [one.headers["x-relay-secret"] for one in relay.heard] == ["s3cret"] * 2
    assert relay.heard[0].body["userRequest"]["user"]["properties"]["plusfriendUserKey"] == "kim"
    kinds = [json.loads(line)["kind"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert kinds == ["skill_asked", "skill_call", "shown_bubble"] * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_channel_stops_at_once_while_it_waits_for_somebody_to_type(number: signal.Signals) -> None:
    async with TinyRelay(webhook=echo) as relay:
        process = await start("kakao", "--url", relay.url, "--port", "0")
        assert process.stdin is not None
        process.stdin.write("안녕\n".encode())
        await read_line(process)
        process.send_signal(number)
        await asyncio.wait_for(process.wait(), 30)

    assert process.returncode == 0


async def test_an_instance_shows_what_it_gets_and_answers() -> None:
    async with TinyRelay(create=(200, CREATED), status=(200, {"status": "pending_pairing"})) as relay:
        process = await start("openclaw", "--url", relay.url, "--behaviour", "pieces")
        (await relay.until("events")).send(event("message", letter("안녕")))
        lines = [await read_line(process) for _ in range(4)]
        process.send_signal(signal.SIGINT)
        rest, told = await asyncio.wait_for(process.communicate(), 30)

    assert [line.split("  ", 1)[1] for line in lines] == ["받음  안녕\n", *(f"답함  안녕 ({n}/3)\n" for n in (1, 2, 3))]
    assert (process.returncode, rest) == (0, b"")
    assert told.decode() == "카카오톡에서 연결하세요: /pair ABCD-2345\n연결했습니다.\n"


async def test_an_instance_whose_token_is_dead_ends_with_a_failure() -> None:
    async with TinyRelay(messages=(401, {"error": "Invalid token"})) as relay:
        process = await start("openclaw", "--url", relay.url, "--token", "t", "--mode", "poll")
        out, told = await asyncio.wait_for(process.communicate(), 30)

    assert (process.returncode, out) == (1, b"")
    assert "Invalid token" in told.decode()


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("state", get_args(ConnectionState))
def test_every_change_has_words(state: ConnectionState, lang: Lang, capsys: pytest.CaptureFixture[str]) -> None:
    show_instance(Shell(wanted_lang=lang), ConnectionChange(AT, state, "why"))

    said = capsys.readouterr().err
    assert any("가" <= sign <= "힣" for sign in said) == (lang == "ko")
    assert "{" not in said


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (USE, ""),
        (
            replace(USE, outcome=CallbackOutcome.USED, fault="used before"),
            "A callback was not shown (used): used before",
        ),
        (CALL, ""),
        (replace(CALL, fault="HTTP 500"), "KakaoTalk would show an error: HTTP 500"),
        (replace(CALL, response={"useCallback": True, "data": {"text": "…"}}), "(waiting) …"),
        (replace(CALL, response={"useCallback": True}), ""),
    ],
)
def test_what_a_user_would_not_see_is_told(entry: Any, said: str) -> None:
    assert say_trouble(entry, "en") == said


def test_an_exchange_is_one_line_each_way() -> None:
    got = MessageReceived(AT, "m1", "simbot:u1", "안녕", "", 1, {})
    sent = ReplySent(AT, "m1", simple_text("하나", "둘"), 202, {"success": True})
    refused = replace(sent, status=400, body={"error": "late"})
    lost = replace(sent, status=None, body="ConnectError: no")

    said = [say_exchange(one, "en").partition("  ")[2] for one in (got, sent, refused, lost)]

    words = ["answered", "not taken (400)", "not taken (ConnectError: no)"]
    assert said == ["got  안녕", *(f"{word}  하나 / 둘" for word in words)]


def test_programs_get_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell(output="ndjson")

    show_channel(shell, USE)
    show_instance(shell, ConnectionChange(AT, "connected"))

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["kind"], line["at"]) for line in lines] == [
        ("callback_use", "2026-11-17T08:00:00+00:00"),
        ("connection_change", "2026-11-17T08:00:00+00:00"),
    ]
