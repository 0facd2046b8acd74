"""`pabal sim bot`: a phone's bot for people without a phone. What arrives is on stdout, the connection on stderr."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from pabal.apps.messaging.errors import BadArrivalsFile
from pabal.apps.messaging.simulator.witness import Log, Reason, Received
from pabal.platform.commands.lazily import lazily
from pabal.platform.language.pairs import Lang, Pair, put

if TYPE_CHECKING:
    from pabal.apps.messaging.simulator.options import Change, Options

with lazily():
    from pabal.apps.messaging.simulator import bot as phone
    from pabal.apps.messaging.simulator import fleet
    from pabal.apps.messaging.simulator import options as phone_options

T = TypeVar("T")

_SLOW = 5.0
_IMAGES: Pair = ("{n} picture · {kb} kB|{n} pictures · {kb} kB", "그림 {n}장 · {kb} kB")
_FETCHED: Pair = ("media at {address}", "주소로 온 매체: {address}")
_CHANGES: dict[str, Pair] = {
    "approved": (
        "Connected to {server}; this device is approved.",
        "{server}에 연결했습니다. 승인된 기기입니다.",
    ),
    "pending": (
        "Connected to {server}; nothing is sent here until somebody approves this device in the console.",
        "{server}에 연결했습니다. 콘솔에서 이 기기를 승인할 때까지 아무것도 오지 않습니다.",
    ),
    "refused": ("{server} refuses: {message}", "{server}에서 거절했습니다: {message}"),
    "told": ("{server} says: {message}", "{server}에서 알립니다: {message}"),
    "lost": (
        "The connection to {server} is gone; trying again.",
        "{server} 연결이 끊어졌습니다. 다시 연결합니다.",
    ),
    "unreachable": ("No server answers; trying again.", "응답하는 서버가 없습니다. 다시 연결합니다."),
}
_REASONS: dict[Reason, Pair] = {
    Reason.DIALECT: ("A packet in the other dialect was ignored.", "다른 방언으로 온 패킷을 무시했습니다."),
    Reason.UNREADABLE: ("A packet could not be read.", "읽을 수 없는 패킷이 왔습니다."),
    Reason.NO_ADDRESS: ("A packet names no room.", "톡방이 적히지 않은 패킷이 왔습니다."),
    Reason.OTHER_BOT: ("A packet for another bot came here.", "다른 봇에게 갈 패킷이 왔습니다."),
    Reason.UNKNOWN_EVENT: ("A packet of an unknown kind was ignored.", "알 수 없는 종류의 패킷을 무시했습니다."),
    Reason.CUT: ("The connection ended within a packet.", "패킷 중간에 연결이 끊어졌습니다."),
}


class Shell(Protocol):
    """What this command needs of the command line, which stands above the apps."""

    output: str

    @property
    def lang(self) -> Lang: ...

    def run(self, work: Coroutine[Any, Any, T]) -> T: ...


def bot(  # long: one parameter for each option
    ctx: typer.Context,
    name: Annotated[str, typer.Option(help="The bot's name, as rooms know it.")] = "simulator",
    server: Annotated[
        list[str] | None, typer.Option(metavar="HOST:PORT", help="Tried in this order; may be repeated.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="Device id; without it always the same for this name.")] = None,
    version_string: Annotated[str, typer.Option(help="Of the script; 3.2.x speaks the old dialect.")] = "3.3.3",
    secret: Annotated[
        str | None, typer.Option(envvar="PABAL_SIM_SECRET", show_default=False, help="Signs its answers to pings.")
    ] = None,
    salt: Annotated[
        str | None, typer.Option(envvar="PABAL_SIM_SALT", show_default=False, help="Goes with the secret.")
    ] = None,
    room: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=CHANNEL_ID", help="Says hello there, so that the room is found; may be repeated."),
    ] = None,
    slow: Annotated[bool, typer.Option("--slow", help="Takes five times as long over pictures.")] = False,
    leave_after: Annotated[
        int | None, typer.Option(min=1, help="Loses the connection after every so many arrivals.")
    ] = None,
    twice: Annotated[bool, typer.Option("--twice", help="Connects twice as the same device.")] = False,
    log: Annotated[Path | None, typer.Option(help="Also appends what arrives to this file, as lines of JSON.")] = None,
) -> None:
    """A phone's bot: connects, answers, and shows what arrives. Stops with Ctrl-C."""
    shell: Shell = ctx.obj
    trouble = phone_options.Trouble(media_factor=_SLOW if slow else 1.0, leave_after_parts=leave_after)
    options = phone_options.Options(device, version_string, secret=secret or "", salt=salt or "", trouble=trouble)
    wanted = _Wanted(name, server or ["127.0.0.1:1490"], room or [], log, is_twice=twice)
    shell.run(_run(shell, wanted, options))


@dataclass(frozen=True)
class _Wanted:
    name: str
    servers: list[str]
    rooms: list[str]
    log: Path | None
    is_twice: bool


async def _run(shell: Shell, wanted: _Wanted, options: Options) -> None:
    servers = phone_options.read_servers(wanted.servers)
    options = replace(options, rooms=tuple(phone_options.read_room(text) for text in wanted.rooms))
    async with AsyncExitStack() as stack:
        log = None if wanted.log is None else _open_log(wanted.log)
        if log is not None:
            stack.callback(log.close)
        options = replace(options, log=log, tell=lambda news: show(shell, news))
        one = await stack.enter_async_context(phone.SimulatedBot(wanted.name, servers, options))
        if wanted.is_twice:
            await stack.enter_async_context(one.twin())
        await fleet.until_signalled()


def _open_log(path: Path) -> Log:
    try:
        return Log(path)
    except OSError as error:
        raise BadArrivalsFile(f"{path}: {error.strerror}") from error


def show(shell: Shell, news: Received | Change) -> None:
    if isinstance(news, phone_options.Change):
        typer.echo(say_change(news, shell.lang), err=True)
    elif shell.output in ("json", "ndjson"):
        typer.echo(json.dumps({**asdict(news), "at": news.at.isoformat()}, ensure_ascii=False))
    else:
        typer.echo(say_arrival(news, shell.lang))


def say_arrival(received: Received, lang: Lang) -> str:
    size = sum(image.size for image in received.images)
    if received.kind == "text":
        what = received.text.partition("\n")[0]
    elif received.images:
        what = put(lang, _IMAGES, n=len(received.images), kb=f"{max(1, round(size / 1000)):,}")
    else:
        what = put(lang, _FETCHED, address=received.text.partition("\n")[0])
    return f"{received.at.astimezone():%H:%M:%S}  {_plain(received.room or received.channel_id)}  {_plain(what)}"


def say_change(change: Change, lang: Lang) -> str:
    if change.state == "ignored":
        reason, _, detail = change.message.partition(": ")
        return f"{put(lang, _REASONS[Reason(reason)])} ({_plain(detail)})"
    return put(lang, _CHANGES[change.state], server=change.server, message=_plain(change.message))


def _plain(text: str) -> str:
    """What comes from outside moves no cursor and changes no colour."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
