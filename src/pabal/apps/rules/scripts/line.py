"""The server's end of a script: its output by lines, and what it says and asks over its socket."""

import asyncio
import json
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

OnLine = Callable[[str, str], Awaitable[None]]
Answer = Callable[[str, Mapping[str, Any]], Awaitable[Any]]

LONGEST_LINE = 4000
LONGEST_FRAME = 1 << 20
# of sends and artifacts together
MOST_FRAMES = 500
TAIL_LINES = 200
TAIL_CHARACTERS = 8000


@dataclass
class ScriptOutput:
    """All lines of a run in the order of their arrival, cut after so many bytes."""

    on_line: OnLine
    budget: int
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=TAIL_LINES))
    is_cut: bool = False

    async def take(self, stream: str, text: str) -> None:
        if self.is_cut:
            return
        self.budget -= len(text.encode(errors="replace")) + 1
        if self.budget < 0:
            self.is_cut = True
            stream, text = "pabal", "… the rest of the output is not kept"
        line = text[:LONGEST_LINE].replace("\0", "\N{REPLACEMENT CHARACTER}")
        self.tail.append(line)
        await self.on_line(stream, line)

    def show_tail(self) -> str:
        return "\n".join(self.tail)[-TAIL_CHARACTERS:]


async def pump(reader: asyncio.StreamReader, stream: str, output: ScriptOutput) -> None:
    """Read to the end even when nothing is kept any more: a full pipe would stop the script."""
    rest = b""
    while more := await reader.read(1 << 16):
        *whole, rest = (rest + more).split(b"\n")
        for line in whole:
            await output.take(stream, line.decode(errors="replace").rstrip("\r"))
        if len(rest) > LONGEST_LINE * 4:
            await output.take(stream, rest.decode(errors="replace"))
            rest = b""
    if rest:
        await output.take(stream, rest.decode(errors="replace"))


@dataclass
class ScriptReport:
    """What the script's process told over its socket."""

    end: Mapping[str, Any] | None = None
    sends: list[Mapping[str, Any]] = field(default_factory=list)
    artifacts: list[Mapping[str, Any]] = field(default_factory=list)
    is_too_much: bool = False


class ScriptChannel:
    """JSON lines. Nothing that comes from a script is believed further than its shape."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.said = ScriptReport()
        self._reader, self._writer = reader, writer
        self._answering: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, connection: socket.socket) -> "ScriptChannel":
        connection.setblocking(False)
        return cls(*await asyncio.open_connection(sock=connection, limit=LONGEST_FRAME))

    def tell(self, what: Mapping[str, Any]) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(what).encode() + b"\n")

    async def listen(self, output: ScriptOutput, answer: Answer | None) -> None:
        """Until the script's end closes, or says more than a script may."""
        try:
            while frame := await self._hear():
                await self._take(frame, output, answer)
                if self.said.is_too_much:
                    return
        except ConnectionError:
            return  # it died with something unread
        except ValueError:
            # a line without end, or no JSON: not from our package
            self.said.is_too_much = True

    async def close(self) -> None:
        for task in self._answering:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering)
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _hear(self) -> Mapping[str, Any] | None:
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            return None
        frame = json.loads(line)
        return frame if isinstance(frame, dict) else {"unknown": frame}

    async def _take(self, frame: Mapping[str, Any], output: ScriptOutput, answer: Answer | None) -> None:
        match frame:
            case {"log": str(text)}:
                for line in text.splitlines() or [""]:
                    await output.take("log", line)
            case {"send": {"kind": str()} as wish}:
                self._keep(self.said.sends, wish)
            case {"artifact": {"name": str(), "file": str(), "media_type": str()} as about}:
                self._keep(self.said.artifacts, about)
            case {"ask": int(number), "source": str(source), "arguments": dict(arguments)}:
                self._keep(self.said.sends, {"kind": "source", "source": source, "arguments": arguments})
                task = asyncio.create_task(self._answer(number, source, arguments, answer))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            case {"value": _} | {"raised": str()} | {"missing": list()} | {"bad_return": str()}:
                self.said.end = frame

    def _keep(self, where: list[Mapping[str, Any]], what: Mapping[str, Any]) -> None:
        where.append(what)
        self.said.is_too_much = len(self.said.sends) + len(self.said.artifacts) > MOST_FRAMES

    async def _answer(self, number: int, source: str, arguments: Mapping[str, Any], answer: Answer | None) -> None:
        try:
            if answer is None:
                raise LookupError(f"there is no source {source!r} here")
            self.tell({"asked": number, "value": await answer(source, arguments)})
        except Exception as error:  # noqa: BLE001 -- a source may fail in any way; the script decides what that means
            self.tell({"asked": number, "failed": str(error) or type(error).__name__})
