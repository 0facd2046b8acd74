"""SimulatedBot: a phone's script on a real socket. It connects, answers, chats, sleeps over pictures, and remembers."""

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Self

from pabal.apps.messaging.simulator.options import Change, Options, Server, State, Trouble
from pabal.apps.messaging.simulator.phone import Chat, backoff_seconds, media_seconds, moment
from pabal.apps.messaging.simulator.witness import Frame, Ignored, Reason, Received, read_content, read_frame
from pabal.base.clock import elapsed

_MESSAGES = ("messageResponse", "scheduleMessage", "broadcastMessage")
_QUEUE_MOST = 2000
_QUEUE_CYCLE = 10


CONNECT_TIMEOUT = 5.0

# Small, so that a phone that does not read soon makes the server wait.
_CHUNK = 64 * 1024


class Left(Exception):
    """We hung up: what has arrived since is not looked at."""


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: str) -> None:
        self._reader, self._writer = reader, writer
        self.server = server
        self.is_welcome = False
        self.parts = 0
        self._has_left = False
        self._buffer = bytearray()
        self._searched = 0

    @classmethod
    async def open(cls, server: Server) -> "Line":
        """Raises OSError when nobody answers."""
        async with asyncio.timeout(CONNECT_TIMEOUT):
            reader, writer = await asyncio.open_connection(*server, limit=_CHUNK)
        return cls(reader, writer, f"{server[0]}:{server[1]}")

    def write(self, content: bytes) -> None:
        self._writer.write(content)

    async def drain(self) -> None:
        await self._writer.drain()

    def hang_up(self) -> None:
        self._has_left = True
        self._writer.transport.abort()

    async def close(self) -> None:
        self.hang_up()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def next_frame(self, trouble: Trouble, may_read: asyncio.Event) -> bytes | None:
        """A whole line without its newline; None when the server has closed. Raises Left, or Ignored for half a one."""
        self._stay()
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            self._cut(trouble)
            if not await self._read(may_read):
                self._see_no_half()
                return None
        frame = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return frame

    async def _read(self, may_read: asyncio.Event) -> bool:
        await may_read.wait()
        try:
            chunk = await self._reader.read(_CHUNK)
        except OSError:  # a server that was killed ends the line as one that closes it
            chunk = b""
        await may_read.wait()
        self._stay()
        self._buffer += chunk
        return bool(chunk)

    def _see_no_half(self) -> None:
        if self._buffer:
            # The script takes what its last read gave it for a line: a header and half a picture are posted.
            posted = ", posted half" if b"}" in self._buffer else ""
            raise Ignored(Reason.CUT, f"{len(self._buffer)} bytes of a frame{posted}")

    def _cut(self, trouble: Trouble) -> None:
        waiting = len(self._buffer)
        if trouble.cut_after_bytes is not None and waiting > trouble.cut_after_bytes:
            trouble.cut_after_bytes = None
            raise Ignored(Reason.CUT, f"on purpose, after {waiting} bytes")

    def _stay(self) -> None:
        if self._has_left:
            raise Left


class SimulatedBot:
    """`async with SimulatedBot("bot", [("127.0.0.1", 1490)]) as bot:` starts at once, tries until a server answers,
    and stops at once. The first server of the list that answers is taken."""

    def __init__(self, name: str, servers: Iterable[Server], options: Options | None = None) -> None:
        self.options = options or Options()
        self.phone = self.options.make_phone(name)
        self.trouble = replace(self.options.trouble)
        self.servers = list(servers)
        self.received: list[Received] = []
        self.changes: list[Change] = []
        self.ignored: Counter[Reason] = Counter()
        self.pings = self.pongs = 0
        self.is_approved = False
        self._line: Line | None = None
        self._queue: deque[tuple[float, Chat]] = deque(maxlen=_QUEUE_MOST)
        self._said = round(moment().timestamp() * 1_000_000)  # a log id is never met again, not after a restart either
        self._changed = asyncio.Event()
        self._may_read = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        if not self.trouble.is_deaf:
            self._may_read.set()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name=f"simulated bot {self.name}")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await _see_end(task)

    async def run_until_stopped(self) -> None:
        self.start()
        if self._task is not None:
            await _see_end(self._task)

    @property
    def name(self) -> str:
        return self.phone.name

    @property
    def is_connected(self) -> bool:
        """A server has completed the handshake."""
        return self._line is not None and self._line.is_welcome

    @property
    def server(self) -> str | None:
        return None if self._line is None else self._line.server

    async def until(self, is_so: Callable[["SimulatedBot"], bool], *, timeout: float | None = 30.0) -> None:
        """Waits until it is so; looked at after every arrival and change."""
        async with asyncio.timeout(timeout):
            while not is_so(self):
                await self._changed.wait()

    def say(self, room: str, channel_id: str, sender: str, text: str) -> None:
        """As if somebody wrote it in the room. Offline it is kept for a while, and sent before the next handshake."""
        self._said += 1
        chat = Chat(room, channel_id, sender, text, log_id=str(self._said))
        if self._line is None:
            self._queue.append((elapsed(), chat))
        else:
            self._line.write(self.phone.chat(chat))

    def send_raw(self, content: bytes) -> None:
        """Garbage at will. Goes nowhere while offline."""
        if self._line is not None:
            self._line.write(content)

    def hang_up(self) -> None:
        """Loses the connection as a phone in a lift does; comes back after the usual wait."""
        if self._line is not None:
            self._line.hang_up()

    def move(self, servers: Iterable[Server]) -> None:
        self.servers = list(servers)
        self.hang_up()

    def stop_reading(self) -> None:
        self._may_read.clear()

    def resume_reading(self) -> None:
        self._may_read.set()

    def twin(self) -> "SimulatedBot":
        """Another with the same identity, not started: the server is to close the older connection."""
        return SimulatedBot(self.name, self.servers, replace(self.options, device_id=self.phone.device_id))

    async def _live(self) -> None:
        failures = 0
        while True:  # until cancelled
            is_welcome = await self._go_round()
            failures = 1 if is_welcome else failures + 1
            await self._sleep(backoff_seconds(failures))

    async def _go_round(self) -> bool:
        """A server that refuses, or leaves before the handshake is complete, is passed over like a silent one."""
        has_answered = False
        for server in list(self.servers):
            try:
                line = await Line.open(server)
            except OSError:
                continue
            has_answered = True
            if await self._visit(line):
                return True
        if not has_answered:
            self._change("unreachable")
        return False

    async def _visit(self, line: Line) -> bool:
        late = None
        try:
            late = await self._greet(line)
            while (content := await line.next_frame(self.trouble, self._may_read)) is not None:
                await self._take(line, content)
        except Ignored as half:
            self._ignore(line, half)
        except (OSError, Left):
            pass  # both are told below: the line is lost
        finally:
            self._line, self.is_approved = None, False
            if late is not None:
                late.cancel()
            await line.close()
        self._change("lost", line.server)
        return line.is_welcome

    async def _greet(self, line: Line) -> asyncio.TimerHandle | None:
        """The script's handshake goes through its queue, so what was said offline goes first."""
        if self.trouble.is_stranger:
            self.phone = replace(self.phone, device_id=secrets.token_hex(8))
        line.write(self.trouble.garbage)
        while self._queue:
            for said_at, chat in [self._queue.popleft() for _ in range(min(_QUEUE_CYCLE, len(self._queue)))]:
                if elapsed() - said_at <= self.options.queue_ttl:
                    line.write(self.phone.chat(chat))
            await line.drain()
        self._line = line
        wait = self.trouble.handshake_after * self.options.pace
        if wait > 0:
            return asyncio.get_running_loop().call_later(wait, line.write, self.phone.handshake())
        line.write(self.phone.handshake())
        return None

    async def _take(self, line: Line, content: bytes) -> None:
        try:
            frame = read_frame(content, self.phone.dialect)
            match frame.event:
                case "handshakeComplete":
                    self._welcome(line, frame)
                case "ping":
                    self._answer(line, frame)
                case "error":  # not of the phone's protocol: how our servers say why they close
                    self._change("told", line.server, str(frame.data.get("message", "")))
                case event if event in _MESSAGES:
                    await self._receive(line, frame, len(content) + 1)
                case event:
                    raise Ignored(Reason.UNKNOWN_EVENT, f"{event} {frame.data.get('message', '')}"[:200])
        except Ignored as ignored:
            self._ignore(line, ignored)

    def _welcome(self, line: Line, frame: Frame) -> None:
        message = str(frame.data.get("message", ""))
        if frame.data.get("success") is not True:
            self._change("refused", line.server, message)
            raise Left
        line.is_welcome = True
        self.is_approved = frame.data.get("approved") is True
        self._change("approved" if self.is_approved else "pending", line.server, message)
        for room in self.options.rooms:
            self.say(room.name, room.channel_id, self.name, "안녕하세요")

    def _answer(self, line: Line, frame: Frame) -> None:
        self.pings += 1
        if not self.trouble.is_mute:
            rooms = len({one.room for one in self.received} | {room.name for room in self.options.rooms})
            line.write(self.phone.pong(frame.data.get("server_timestamp"), queued=len(self._queue), rooms=rooms))
            self.pongs += 1
        self._wake()

    async def _receive(self, line: Line, frame: Frame, size: int) -> None:
        received = self._witness(line, frame, size)
        line.parts += 1
        if self.trouble.leave_after_parts is not None and line.parts >= self.trouble.leave_after_parts:
            raise Left
        if received.kind == "text" and self.options.hears_itself:
            self.say(received.room, received.channel_id, self.name, received.text)
        if received.kind != "text":
            sizes = [image.size for image in received.images] or [0]
            await self._sleep(media_seconds(sizes, received.media_wait_time) * self.trouble.media_factor)

    def _witness(self, line: Line, frame: Frame, size: int) -> Received:
        """Written down before anything else."""
        content, data, wait = read_content(frame, self.phone.dialect), frame.data, frame.data.get("media_wait_time")
        received = Received(
            bot=self.name,
            at=moment(),
            seq=len(self.received) + 1,
            room=str(data.get("room") or ""),
            channel_id=str(data.get("channel_id") or ""),
            kind=content.kind,
            text=content.text,
            images=content.images,
            media_wait_time=wait if type(wait) is int else 0,
            raw_size=size,
            server=line.server,
        )
        if self.options.log is not None:
            self.options.log.write(received)
        self.received.append(received)
        if data.get("bot_name", self.name) != self.name:
            self._ignore(line, Ignored(Reason.OTHER_BOT, str(data["bot_name"])[:200]))
        self._tell(received)
        return received

    def _ignore(self, line: Line, ignored: Ignored) -> None:
        self.ignored[ignored.reason] += 1
        if self.options.log is not None:
            self.options.log.write_ignored(self.name, moment(), reason=ignored.reason, detail=ignored.detail)
        self._change("ignored", line.server, str(ignored))

    def _change(self, state: State, server: str = "", message: str = "") -> None:
        change = Change(moment(), state, server, message)
        self.changes.append(change)
        self._tell(change)

    def _tell(self, news: Received | Change) -> None:
        if self.options.tell is not None:
            self.options.tell(news)
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds * self.options.pace)


async def _see_end(task: "asyncio.Task[None]") -> None:
    """An error of the bot itself is raised: a witness must not end unseen."""
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
