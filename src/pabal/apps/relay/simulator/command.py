"""`pabal sim kakao` and `pabal sim openclaw`: what arrives is on stdout, everything about the connection on stderr."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.relay.simulator.options import (
    CallbackBehaviour,
    ChannelOptions,
    InstanceBehaviour,
    InstanceOptions,
    ReadingMode,
)
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.printing import printable
from pabal.platform.language.pairs import Lang, Pair, put

if TYPE_CHECKING:
    from pabal.platform.commands.shell import Shell

with lazily():
    import asyncio

    from pabal.apps.relay.simulator import journal, openclaw
    from pabal.apps.relay.simulator import kakao as channel

_STDIN = 0
_LISTENS: Pair = (
    "Callbacks go to {url}. The relay must allow that: PABAL_RELAY_CALLBACK_HOSTS={url}\n"
    "You are {user}. Type what you say; Ctrl-D or Ctrl-C ends it.",
    "콜백은 {url}(으)로 받습니다. 릴레이에서 허용하세요: PABAL_RELAY_CALLBACK_HOSTS={url}\n"
    "지금 사용자는 {user}입니다. 할 말을 입력하세요. Ctrl-D나 Ctrl-C로 끝냅니다.",
)
_WAITING: Pair = ("(waiting) {text}", "(대기) {text}")
_FAULT: Pair = (
    "KakaoTalk would show an error: {fault}",
    "카카오톡이라면 오류가 표시됩니다: {fault}",
)
_NOT_SHOWN: Pair = ("A callback was not shown ({outcome}): {fault}", "보이지 않은 콜백입니다({outcome}): {fault}")
_GOT: Pair = ("got", "받음")
_SENT: Pair = ("answered", "답함")
_NOT_TAKEN: Pair = ("not taken ({status})", "거절됨({status})")
_CHANGES: dict[str, Pair] = {
    "session": (
        "Pair with it from KakaoTalk: /pair {detail}",
        "카카오톡에서 연결하세요: /pair {detail}",
    ),
    "paired": ("Paired with {detail}.", "{detail} 사용자와 연결되었습니다."),
    "connected": ("Connected.", "연결했습니다."),
    "closed": ("The relay closed the connection; connecting again.", "릴레이에서 연결을 끊었습니다. 다시 연결합니다."),
    "crashed": ("Crashed on purpose; coming back.", "일부러 멈췄습니다. 다시 시작합니다."),
    "failed": ("No connection: {detail}. Trying again.", "연결하지 못했습니다: {detail}. 다시 시도합니다."),
    "dead": ("The relay does not accept this token: {detail}", "릴레이에서 받지 않는 토큰입니다: {detail}"),
    "gave_up": ("Gave up: {detail}", "포기했습니다: {detail}"),
}


def kakao(  # long: one parameter for each option
    ctx: typer.Context,
    url: Annotated[str, typer.Option(help="The relay's address.")] = "http://127.0.0.1:8420",
    user: Annotated[str, typer.Option(help="The key of the user who speaks.")] = "sim-user",
    secret: Annotated[
        str | None, typer.Option(envvar="PABAL_RELAY_SECRET", show_default=False, help="Sent as X-Relay-Secret.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port for callbacks; 0: any free one.")] = 9100,
    slow: Annotated[float, typer.Option(min=0, help="Answers callbacks after so many seconds.")] = 0.0,
    refuse: Annotated[bool, typer.Option("--refuse", help="Refuses every callback.")] = False,
    die: Annotated[bool, typer.Option("--die", help="Hangs up on every callback without an answer.")] = False,
    log: Annotated[Path | None, typer.Option(help="Also appends everything to this file, as lines of JSON.")] = None,
) -> None:
    """KakaoTalk's channel: lines typed are said by a user, and answers are shown. Stops with Ctrl-C."""
    shell: Shell = ctx.obj
    behaviour = CallbackBehaviour(slow=slow, refuse=refuse, die=die)
    options = ChannelOptions(
        port=port, secret=secret or "", behaviour=behaviour, log=log, tell=lambda entry: show_channel(shell, entry)
    )
    shell.run(_until_signalled(_chat(shell, url, user, options)))


def openclaw_instance(  # long: one parameter for each option
    ctx: typer.Context,
    url: Annotated[str, typer.Option(help="The relay's address.")] = "http://127.0.0.1:8420",
    token: Annotated[
        str | None,
        typer.Option(
            envvar="OPENCLAW_TALKCHANNEL_RELAY_TOKEN",
            show_default=False,
            help="Of its account; without it a session is created, and its pairing code shown.",
        ),
    ] = None,
    mode: Annotated[ReadingMode, typer.Option(help="How it reads its mailbox.")] = ReadingMode.SSE,
    behaviour: Annotated[InstanceBehaviour, typer.Option(help="How it answers.")] = InstanceBehaviour.ECHO,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before a slow one answers.")] = 10.0,
    log: Annotated[Path | None, typer.Option(help="Also appends everything to this file, as lines of JSON.")] = None,
) -> None:
    """An OpenClaw instance: reads its mailbox, answers, and shows both. Stops with Ctrl-C."""
    shell: Shell = ctx.obj
    options = InstanceOptions(
        mode=mode, behaviour=behaviour, delay=delay, log=log, tell=lambda entry: show_instance(shell, entry)
    )
    shell.run(_until_signalled(_serve(url, token, options)))


async def _chat(shell: Shell, url: str, user: str, options: ChannelOptions) -> None:
    async with channel.KakaoChannel(url, options) as one:
        shell.tell(_LISTENS, url=one.url, user=user)
        async for line in _read_lines():
            if line.strip():
                await one.say(user, line)
        await one.wait_for_callbacks()


async def _serve(url: str, token: str | None, options: InstanceOptions) -> None:
    async with openclaw.OpenClaw(url, token, options) as one:
        await one.wait_until_over(None)
    raise typer.Exit(1)


def show_channel(shell: Shell, entry: Any) -> None:
    if isinstance(entry, channel.SkillAsked):
        return
    if shell.output in ("json", "ndjson"):
        _show_json(entry)
    elif isinstance(entry, channel.ShownBubble):
        typer.echo(f"{entry.at.astimezone():%H:%M:%S}  {printable(entry.text or entry.type)}")
    else:
        told = say_trouble(entry, shell.lang)
        if told:
            typer.echo(printable(told), err=True)


def say_trouble(entry: Any, lang: Lang) -> str:
    """What a user would not see as a bubble; empty: there is nothing to say."""
    if isinstance(entry, channel.SkillCall):
        if entry.fault:
            return put(lang, _FAULT, fault=entry.fault)
        return put(lang, _WAITING, text=entry.waiting_text) if entry.waiting_text else ""
    if entry.outcome is channel.CallbackOutcome.SHOWN:
        return ""
    return put(lang, _NOT_SHOWN, outcome=entry.outcome.value, fault=entry.fault)


def show_instance(shell: Shell, entry: Any) -> None:
    if shell.output in ("json", "ndjson"):
        _show_json(entry)
    elif isinstance(entry, openclaw.ConnectionChange):
        shell.tell(_CHANGES[entry.state], detail=entry.detail)
    elif isinstance(entry, openclaw.MessageReceived | openclaw.ReplySent):
        typer.echo(printable(say_exchange(entry, shell.lang)))


def say_exchange(entry: Any, lang: Lang) -> str:
    head = f"{entry.at.astimezone():%H:%M:%S}"
    if isinstance(entry, openclaw.MessageReceived):
        return f"{head}  {put(lang, _GOT)}  {entry.text}"
    outputs = (entry.response.get("template") or {}).get("outputs") or []
    texts = [str(one["simpleText"]["text"]) for one in outputs if "simpleText" in one]
    how = put(lang, _SENT) if entry.is_taken else put(lang, _NOT_TAKEN, status=entry.status or entry.body)
    return f"{head}  {how}  {' / '.join(texts)}"


def _show_json(entry: Any) -> None:
    typer.echo(json.dumps(journal.show_entry(entry), ensure_ascii=False))


async def _read_lines() -> AsyncIterator[str]:
    """Of stdin, whatever it is. The thread is left behind in its read when the command ends before its input does."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(line: str | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        # sys.stdin has a lock that the interpreter asks for when it ends
        while chunk := os.read(_STDIN, 65536):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                tell(line.decode(errors="replace"))
        tell(rest.decode(errors="replace"))
        tell(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


async def _until_signalled(work: Coroutine[Any, Any, None]) -> None:
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only the work ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
