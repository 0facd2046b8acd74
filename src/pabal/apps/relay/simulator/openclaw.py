"""OpenClaw: an instance that reads its mailbox as the published plugin does, by stream or by long poll, and answers."""

import asyncio
import json
import random
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx2

from pabal.apps.relay.simulator.journal import Journal, moment
from pabal.apps.relay.simulator.options import InstanceBehaviour, InstanceOptions, InstanceReply, ReadingMode
from pabal.apps.relay.simulator.skills import simple_text

CALL_SECONDS = 10.0
STREAM_SECONDS = 300.0
_DEADLY = (401, 410)

ConnectionState = Literal["session", "paired", "connected", "closed", "crashed", "failed", "dead", "gave_up"]


@dataclass(frozen=True)
class StreamEvent:
    """An event of the stream that is no message; `data` is the text where it was no JSON."""

    at: datetime
    name: str
    data: Any


@dataclass(frozen=True)
class MessageReceived:
    """`position` is the stream's id or the poll's cursor; `number` counts how often this id was received."""

    at: datetime
    id: str
    conversation_key: str
    text: str
    position: str
    number: int
    message: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class ReplySent:
    """`status` None: nobody answered, and `body` says why."""

    at: datetime
    message_id: str
    response: dict[str, Any]
    status: int | None
    body: Any

    @property
    def is_taken(self) -> bool:
        return self.status in (200, 202) and isinstance(self.body, dict) and self.body.get("success") is True


@dataclass(frozen=True)
class ConnectionChange:
    """`closed` by the server, `crashed` by our own will; `dead` and `gave_up` are final."""

    at: datetime
    state: ConnectionState
    detail: str = ""


InstanceEntry = StreamEvent | MessageReceived | ReplySent | ConnectionChange


class _RelayRefused(Exception):
    """Anything but 200 with what was asked for."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"HTTP {status}: {_read_error(body)}")
        self.status = status


class _Dropped(Exception):
    """We left: to come back at once."""


class OpenClaw:
    """`async with OpenClaw("http://127.0.0.1:8420", token) as instance:` reads at once and until it ends. Without a
    token it creates a session; `pairing_code` is then what a user must send."""

    def __init__(self, relay_url: str, token: str | None = None, options: InstanceOptions | None = None) -> None:
        self.options = options or InstanceOptions()
        self.relay_url = relay_url
        self.token = token or ""
        self.pairing_code = ""
        self.is_connected = self.is_paired = self.is_over = False
        self.journal: Journal[InstanceEntry] = Journal(self.options.log, tell=self.options.tell)
        self.messages: list[MessageReceived] = []
        self.replies: list[ReplySent] = []
        self._position = ""
        self._attempt = 0
        self._received: dict[str, int] = {}
        self._pairings: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        transport = httpx2.AsyncHTTPTransport(verify=_trusted())
        self._client = httpx2.AsyncClient(transport=transport, timeout=CALL_SECONDS, headers={"User-Agent": "node"})
        self._tasks.append(asyncio.create_task(self._live(), name="openclaw simulator"))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()
        self.journal.close()
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def wait_until_connected(self, seconds: float = 30.0) -> None:
        await self.journal.until(lambda: self.is_connected, seconds)

    async def wait_until_paired(self, seconds: float = 30.0) -> None:
        await self.journal.until(lambda: self.is_paired, seconds)

    async def wait_for_pairing_code(self, seconds: float = 30.0) -> str:
        await self.journal.until(lambda: bool(self.pairing_code), seconds)
        return self.pairing_code

    async def wait_for_messages(self, count: int, seconds: float = 30.0) -> list[MessageReceived]:
        await self.journal.until(lambda: len(self.messages) >= count, seconds)
        return list(self.messages)

    async def wait_for_replies(self, count: int, seconds: float = 30.0) -> list[ReplySent]:
        await self.journal.until(lambda: len(self.replies) >= count, seconds)
        return list(self.replies)

    async def wait_until_over(self, seconds: float | None = 30.0) -> None:
        """Its token is dead, or it gave up."""
        await self.journal.until(lambda: self.is_over, seconds)

    async def _live(self) -> None:
        while not self.is_over:
            try:
                await self._read_once()
            except _Dropped:
                self.is_connected = False
            except _RelayRefused as error:
                if error.status in _DEADLY:
                    self._end("dead", str(error))
                else:
                    await self._back_off(str(error))
            except (httpx2.RequestError, TimeoutError) as error:
                await self._back_off(f"{type(error).__name__}: {error}")

    async def _read_once(self) -> None:
        """One connection of the stream, or one poll."""
        if not self.token:
            await self._create_session()
        if self.options.mode is ReadingMode.SSE:
            await self._follow_stream()
        else:
            await self._poll()

    async def _create_session(self) -> None:
        made = _read(await self._client.post(self._at("v1/sessions/create"), json={}), "sessionToken", "pairingCode")
        self.token, self.pairing_code = str(made["sessionToken"]), str(made["pairingCode"])
        self._change("session", self.pairing_code)
        self._tasks.append(asyncio.create_task(self._look_after_session(), name="openclaw simulator's session"))

    async def _look_after_session(self) -> None:
        while not (self.is_paired or self.is_over):
            with suppress(httpx2.RequestError, _RelayRefused):
                found = _read(
                    await self._client.get(self._at(f"v1/sessions/{quote(self.token, safe='')}/status")), "status"
                )
                match found["status"]:
                    case "paired":
                        self._note_paired(str(found.get("kakaoUserId", "")))
                    case "expired" | "disconnected" as status:
                        self._end("dead", str(status))
            await asyncio.sleep(self.options.status_seconds)

    async def _follow_stream(self) -> None:
        """As the plugin does: the whole connection has 300 s, and a server that closes is come back to at once."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream", "Cache-Control": "no-cache"}
        if self._position:
            headers["Last-Event-ID"] = self._position
        timeout = httpx2.Timeout(STREAM_SECONDS, connect=CALL_SECONDS)
        until = asyncio.get_running_loop().time() + STREAM_SECONDS
        async with self._client.stream("GET", self._at("v1/events"), headers=headers, timeout=timeout) as answer:
            if answer.status_code != 200:
                raise _RelayRefused(answer.status_code, _parse((await answer.aread()).decode(errors="replace")))
            self._note_connected()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._take_blocks(answer.aiter_text())
        self.is_connected = False
        self._change("closed")
        await asyncio.sleep(0)

    async def _take_blocks(self, chunks: AsyncIterator[str]) -> None:
        """Split at LF LF alone: with other ends of lines nothing is ever whole."""
        rest = ""
        async for chunk in chunks:
            *blocks, rest = (rest + chunk).split("\n\n")
            for block in blocks:
                await self._take_block(block)

    async def _take_block(self, block: str) -> None:
        parsed = parse_block(block)
        self._position = parsed.id or self._position
        if not parsed.event or not parsed.data:
            return
        data = _parse(parsed.data)
        if parsed.event == "message" and isinstance(data, dict):
            await self._take(data)
            return
        self.journal.add(StreamEvent(moment(), parsed.event, data))
        if parsed.event == "pairing_complete":
            self._note_paired(str(data.get("kakaoUserId", "")) if isinstance(data, dict) else "")
            # a relay may say it several times, and streams are bound when they begin
            if parsed.data not in self._pairings:
                self._pairings.add(parsed.data)
                raise _Dropped
        elif parsed.event == "pairing_expired":
            self._end("dead", str(data))
            raise _Dropped

    async def _poll(self) -> None:
        """The first does not wait, so that it is soon known whether the relay lets us in."""
        if self.pairing_code:
            await self.journal.until(lambda: self.is_paired or self.is_over, None)
        wait = self.options.wait if self.is_connected else 0.0
        asked: dict[str, str] = {"wait": f"{wait:g}", "limit": str(self.options.limit)}
        if self._position:
            asked["cursor"] = self._position
        seconds = CALL_SECONDS + (wait if wait <= 60 else wait / 1000)
        headers = {"Authorization": f"Bearer {self.token}"}
        url = self._at("openclaw/messages")
        found = _read(await self._client.get(url, params=asked, headers=headers, timeout=seconds), "messages")
        self._note_connected()
        self._position = str(found.get("cursor") or self._position)
        for message in found["messages"]:
            await self._take(message)

    async def _take(self, message: dict[str, Any]) -> None:
        """One after the other, as the plugin does; what is redelivered is handled again."""
        message_id = str(message.get("id", ""))
        number = self._received[message_id] = self._received.get(message_id, 0) + 1
        key = str(message.get("conversationKey", ""))
        received = MessageReceived(moment(), message_id, key, read_text(message), self._position, number, message)
        self.messages.append(received)
        self.journal.add(received)
        if self.options.behaviour is InstanceBehaviour.CRASH and number == 1:
            self._position = ""
            self._change("crashed", message_id)
            raise _Dropped
        if self.options.behaviour is InstanceBehaviour.SLOW:
            await asyncio.sleep(self.options.delay)
        for reply in self._make_replies(received.text):
            await self.reply(message_id, reply, conversation_key=key if self.options.names_conversation else None)
            if self.is_over:
                raise _Dropped

    def _make_replies(self, text: str) -> list[InstanceReply]:
        if self.options.behaviour is InstanceBehaviour.NEVER:
            return []
        if self.options.answer is not None:
            return self.options.answer(text)
        if self.options.behaviour is InstanceBehaviour.PIECES:
            most = self.options.pieces
            return [f"{text} ({number}/{most})" for number in range(1, most + 1)]
        return [text]

    async def reply(self, message_id: str, reply: InstanceReply, *, conversation_key: str | None = None) -> ReplySent:
        """By hand too: late, twice, or to somebody else's message."""
        response = simple_text(reply) if isinstance(reply, str) else reply
        body: dict[str, Any] = {"messageId": message_id, "response": response}
        if conversation_key is not None:
            body["conversationKey"] = conversation_key
        headers = {"Authorization": f"Bearer {self.token}"}
        status: int | None = None
        try:
            answer = await self._client.post(self._at("openclaw/reply"), json=body, headers=headers)
            status, heard = answer.status_code, _parse(answer.text)
        except httpx2.RequestError as error:
            heard = f"{type(error).__name__}: {error}"
        sent = ReplySent(moment(), message_id, response, status, heard)
        self.replies.append(sent)
        self.journal.add(sent)
        if status in _DEADLY:
            self._end("dead", f"HTTP {status}: {_read_error(heard)}")
        return sent

    async def _back_off(self, detail: str) -> None:
        self._attempt += 1
        self.is_connected = False
        self._change("failed", detail)
        most = self.options.most_attempts
        if most is not None and self._attempt >= most:
            self._end("gave_up", detail)
            return
        wait_ms = backoff_ms(self._attempt, self.options.backoff_ms, self.options.backoff_most_ms, random.random())
        await asyncio.sleep(wait_ms / 1000)

    def _note_connected(self) -> None:
        self._attempt = 0
        if not self.is_connected or self.options.mode is ReadingMode.SSE:
            self.is_connected = True
            self._change("connected")

    def _note_paired(self, user: str) -> None:
        if not self.is_paired:
            self.is_paired = True
            self._change("paired", user)

    def _end(self, state: Literal["dead", "gave_up"], detail: str) -> None:
        self.is_over, self.is_connected = True, False
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        self._change(state, detail)

    def _change(self, state: ConnectionState, detail: str = "") -> None:
        self.journal.add(ConnectionChange(moment(), state, detail))

    def _at(self, path: str) -> str:
        return f"{self.relay_url.rstrip('/')}/{path}"


@dataclass(frozen=True)
class EventBlock:
    event: str = ""
    data: str = ""
    id: str = ""


def parse_block(block: str) -> EventBlock:
    """By the plugin's rules: of several data lines the last counts, a line it does not know is passed over."""
    found = {"event": "", "data": "", "id": ""}
    for line in block.split("\n"):
        name, colon, value = line.partition(":")
        if colon and name in found:
            found[name] = value.strip()
    return EventBlock(**found)


def read_text(message: dict[str, Any]) -> str:
    normalized = message.get("normalized")
    if isinstance(normalized, dict) and isinstance(normalized.get("text"), str):
        return str(normalized["text"])
    payload = message.get("kakaoPayload") or message.get("payload")
    asked = payload.get("userRequest") if isinstance(payload, dict) else None
    return str(asked.get("utterance", "")).strip() if isinstance(asked, dict) else ""


def backoff_ms(attempt: int, base_ms: float, most_ms: float, jitter: float) -> float:
    """Before attempt n + 1; `jitter` from 0 to 1 adds a fifth at most."""
    wait: float = base_ms * 2 ** min(attempt, 30)
    return min(wait * (1 + jitter / 5), most_ms)


def _read(answer: httpx2.Response, *wanted: str) -> dict[str, Any]:
    body = _parse(answer.text)
    if answer.status_code != 200 or not isinstance(body, dict) or not all(name in body for name in wanted):
        raise _RelayRefused(answer.status_code, body)
    return body


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _read_error(body: Any) -> str:
    """Where published clients look: `error` as a sentence, `error.message`, `message`."""
    if not isinstance(body, dict):
        return str(body)[:200]
    error = body.get("error")
    found = error.get("message") if isinstance(error, dict) else error
    return str(found or body.get("message") or "")


@cache
def _trusted() -> ssl.SSLContext:
    """Shared: reading the certificates takes longer than everything else a thousand instances do to start."""
    return ssl.create_default_context()
