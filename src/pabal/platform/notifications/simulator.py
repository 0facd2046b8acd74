"""A stand-in for Telegram's Bot API on a real socket: for people without a bot, for the demo and for tests.

`python -m pabal.platform.notifications.simulator 8443` serves getMe, sendMessage and sendDocument for any bot token.
GET /sent shows what arrived; POST /trouble makes a chat misbehave. See docs/platform/notifications.md.
"""

import asyncio
import hashlib
import json
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, cast
from urllib.parse import parse_qsl

import uvicorn
from python_multipart import create_form_parser
from python_multipart.multipart import Field, File

from pabal.base import clock
from pabal.platform.notifications.parts import CAPTION_UNITS, MESSAGE_UNITS, count_units

Said = dict[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_CALL = re.compile(r"/bot(?P<bot>\d+):[\w-]+/(?P<method>\w+)", re.ASCII)
_CHAT = re.compile(r"-?\d+|@\w+", re.ASCII)


class Kind(StrEnum):
    """How a chat misbehaves. `lost_answer`: the message is kept, then it hangs up; `hang_up`: it is not."""

    TOO_MANY = "429"
    BAD_REQUEST = "400"
    UNAUTHORIZED = "401"
    BLOCKED = "403"
    BROKEN = "500"
    MOVED = "moved"
    HANG_UP = "hang_up"
    LOST_ANSWER = "lost_answer"
    SILENT = "silent"


@dataclass
class Trouble:
    """Begins after `after` good answers, and ends after `times` bad ones; None: never by itself."""

    kind: Kind
    times: int | None = 1
    after: int = 0
    retry_after: int = 5
    moved_to: str = "-1000000000001"

    def __post_init__(self) -> None:
        self.kind = Kind(self.kind)


@dataclass(frozen=True)
class Received:
    """A message in a chat."""

    message_id: int
    chat_id: str
    bot_id: int
    text: str
    document: bytes | None = field(default=None, repr=False)
    file_name: str | None = None

    def shown(self) -> Said:
        said = asdict(self)
        content = said.pop("document")
        digest = None if content is None else {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        return {**said, "document": digest}


class BadCall(Exception):
    """Answered as the Bot API answers what it does not take."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.answer: Said = {"ok": False, "error_code": code, "description": description}
        if parameters:
            self.answer["parameters"] = parameters


class HungUp(Exception):
    """The connection is closed in the middle of an answer."""


class BotApi:
    """Any token of the right form is a bot, any chat is there."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.troubles: dict[str, Trouble] = {}
        # True once somebody waits for an answer that does not come.
        self.is_silent = False

    def texts(self, chat_id: str) -> list[str]:
        return [one.text for one in self.received if one.chat_id == chat_id]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        path, is_hung_up, answer = str(scope["path"]), False, {}
        try:
            answer = await self._answer(path, scope, receive)
        except BadCall as refusal:
            answer = refusal.answer
        except HungUp:
            is_hung_up = True
        status = int(answer.get("error_code", 200))
        body = json.dumps(answer, ensure_ascii=False).encode()
        # Hanging up is promising more than is sent: the server then closes the connection.
        promised = len(body) + 1000 if is_hung_up else len(body)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(promised).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": is_hung_up})

    async def _answer(self, path: str, scope: MutableMapping[str, Any], receive: Receive) -> Said:
        call = _CALL.fullmatch(path)
        if call is not None:
            return {"ok": True, "result": await self._call(int(call["bot"]), call["method"].lower(), scope, receive)}
        match scope["method"], path:
            case "GET", "/sent":
                return {"ok": True, "result": [one.shown() for one in self.received]}
            case "POST", "/trouble":
                given = await _read_form(scope, receive)
                chat_id = str(given.pop("chat_id", ""))
                self.troubles[chat_id] = _read_trouble(given)
                return {"ok": True, "result": {chat: asdict(one) for chat, one in self.troubles.items()}}
            case "DELETE", "/trouble":
                self.troubles.clear()
                return {"ok": True, "result": {}}
        raise BadCall(404, "Not Found")

    async def _call(self, bot_id: int, method: str, scope: MutableMapping[str, Any], receive: Receive) -> Said:
        given = await _read_form(scope, receive)
        match method:
            case "getme":
                return {"id": bot_id, "is_bot": True, "first_name": "Pabal simulator", "username": f"sim{bot_id}_bot"}
            case "sendmessage":
                _check_text(given, "text", "message text is empty", MESSAGE_UNITS, "message is too long")
                return await self._keep(bot_id, given, str(given["text"]), receive)
            case "senddocument":
                if not isinstance(given.get("document"), tuple):
                    raise BadCall(400, "Bad Request: there is no document in the request")
                if given.get("caption"):
                    _check_text(given, "caption", "", CAPTION_UNITS, "message caption is too long")
                return await self._keep(bot_id, given, str(given.get("caption", "")), receive)
        raise BadCall(404, "Not Found: method not found")

    async def _keep(self, bot_id: int, given: Said, text: str, receive: Receive) -> Said:
        chat_id = str(given.get("chat_id", ""))
        if _CHAT.fullmatch(chat_id) is None:
            raise BadCall(400, "Bad Request: chat not found" if chat_id else "Bad Request: chat_id is empty")
        trouble = self._trouble(chat_id)
        if trouble is not None and trouble.kind is not Kind.LOST_ANSWER:
            self.is_silent = trouble.kind is Kind.SILENT
            await _misbehave(trouble, receive)
        file_name, document = given.get("document", (None, None))
        message = Received(len(self.received) + 1, chat_id, bot_id, text, document, file_name)
        self.received.append(message)
        if trouble is not None:
            raise HungUp
        return _as_result(message)

    def _trouble(self, chat_id: str) -> Trouble | None:
        trouble = self.troubles.get(chat_id)
        if trouble is None:
            return None
        if trouble.after > 0:
            trouble.after -= 1
            return None
        if trouble.times is not None:
            trouble.times -= 1
            if trouble.times <= 0:
                del self.troubles[chat_id]
        return trouble


async def _misbehave(trouble: Trouble, receive: Receive) -> None:
    match trouble.kind:
        case Kind.TOO_MANY:
            wait = trouble.retry_after
            raise BadCall(429, f"Too Many Requests: retry after {wait}", retry_after=wait)
        case Kind.BAD_REQUEST:
            raise BadCall(400, "Bad Request: chat not found")
        case Kind.UNAUTHORIZED:
            raise BadCall(401, "Unauthorized")
        case Kind.BLOCKED:
            raise BadCall(403, "Forbidden: bot was blocked by the user")
        case Kind.BROKEN:
            raise BadCall(500, "Internal Server Error")
        case Kind.MOVED:
            to = int(trouble.moved_to)
            raise BadCall(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=to)
        case Kind.SILENT:
            # The next thing to hear is that the client went away.
            await receive()
    raise HungUp


def _as_result(message: Received) -> Said:
    chat = _as_chat(message.chat_id)
    body: Said = {"text": message.text}
    if message.document is not None:
        kept: Said = {"file_id": f"file{message.message_id}", "file_unique_id": f"unique{message.message_id}"}
        kept |= {"file_name": message.file_name, "file_size": len(message.document)}
        body = {"caption": message.text, "document": kept}
    return {"message_id": message.message_id, "date": int(clock.host_time()), "chat": chat, **body}


def _as_chat(chat_id: str) -> Said:
    if chat_id.startswith("@"):
        return {"id": -1000000000000 - len(chat_id), "type": "channel", "username": chat_id[1:]}
    return {"id": int(chat_id), "type": "group" if chat_id.startswith("-") else "private"}


def _check_text(given: Said, name: str, if_empty: str, most: int, if_long: str) -> None:
    text = str(given.get(name, ""))
    if not text.strip() and if_empty:
        raise BadCall(400, f"Bad Request: {if_empty}")
    if count_units(text) > most:
        raise BadCall(400, f"Bad Request: {if_long}")


def _read_trouble(given: Said) -> Trouble:
    try:
        return Trouble(**given)
    except (TypeError, ValueError) as error:
        raise BadCall(400, f"Bad Request: {error}") from error


async def _read_form(scope: MutableMapping[str, Any], receive: Receive) -> Said:
    """JSON, form or multipart; a file becomes its name and its bytes."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if not body:
        return {}
    if b"json" in kind:
        said: Said = json.loads(body)
        return said
    if b"urlencoded" in kind:
        return dict(parse_qsl(body.decode()))
    return _parse_multipart(kind, body)


def _parse_multipart(kind: bytes, body: bytes) -> Said:
    given: Said = {}

    def keep_field(one: Field) -> None:
        given[(one.field_name or b"").decode()] = (one.value or b"").decode()

    def keep_file(one: File) -> None:
        one.file_object.seek(0)
        given[(one.field_name or b"").decode()] = ((one.file_name or b"").decode(), one.file_object.read())

    parser = create_form_parser({"Content-Type": kind}, cast("Any", keep_field), cast("Any", keep_file))
    parser.write(body)
    parser.finalize()
    return given


class Simulator:
    """`async with Simulator() as simulator:` serves on `simulator.url`; what arrived is in `simulator.api`."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.api = BotApi()
        self._socket = socket.create_server((host, port))
        self._server = _Server(self.api)
        self._task: asyncio.Task[None] | None = None
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"

    async def __aenter__(self) -> "Simulator":
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]), name="telegram simulator")
        await self._server.is_up.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.asked.set()
        if self._task is not None:
            await self._task
        self._socket.close()

    async def run_until_stopped(self) -> None:
        if self._task is not None:
            await self._task


class _Server(uvicorn.Server):
    """Without an access log, whose lines would hold the tokens. Signals are the process's business."""

    def __init__(self, api: BotApi) -> None:
        app = cast("Any", api)
        super().__init__(
            uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1)
        )
        self.is_up = asyncio.Event()
        self.asked = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    async def main_loop(self) -> None:
        """Until it is asked to end; uvicorn's own loop looks ten times a second."""
        await self.on_tick(0)
        await self.asked.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def _main(port: int) -> None:
    async with Simulator(port=port) as simulator:
        sys.stdout.write(
            f"Telegram simulator: PABAL_TELEGRAM_URL={simulator.url}, what arrived: {simulator.url}/sent\n"
        )
        sys.stdout.flush()
        await simulator.run_until_stopped()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 8443))
