"""A stand-in for Telegram's Bot API on a real socket: for people without a bot, for the demo and for tests.

`python -m pabal.platform.notifications.simulator 8443` serves getMe, getUpdates, sendMessage, sendDocument,
editMessageText and answerCallbackQuery for any bot token. GET / shows the chats, with buttons to press; GET /sent what
arrived; POST /say and /press are what people do; POST /trouble makes a chat misbehave. It shares no code with the
client. See docs/platform/notifications.md.
"""

import asyncio
import hashlib
import json
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast
from urllib.parse import parse_qsl

from python_multipart import create_form_parser
from python_multipart.multipart import Field, File

from pabal.base import clock
from pabal.platform.notifications.simulator_page import draw_page, is_form, send_page
from pabal.platform.notifications.simulator_troubles import (
    BadCall,
    HungUp,
    Kind,
    Trouble,
    read_trouble,
    refuse,
)
from pabal.platform.web.asked import AskedServer, quiet

Said = dict[str, Any]
Receive = Callable[[], Coroutine[Any, Any, MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_CALL = re.compile(r"/bot(?P<bot>\d+):[\w-]+/(?P<method>\w+)", re.ASCII)
_CHAT = re.compile(r"-?\d+|@\w+", re.ASCII)
# as Telegram counts: UTF-16 code units
MESSAGE_UNITS, CAPTION_UNITS, MOST_DATA = 4096, 1024, 64


def count_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True)
class Received:
    """A message in a chat."""

    message_id: int
    chat_id: str
    bot_id: int
    text: str
    document: bytes | None = field(default=None, repr=False)
    file_name: str | None = None
    # rows of (text, data)
    buttons: tuple[tuple[tuple[str, str], ...], ...] = ()
    edited: int = 0
    # its reader is offered to reply to it
    wants_reply: bool = False

    def shown(self) -> Said:
        said = asdict(self)
        content = said.pop("document")
        digest = None if content is None else {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        return {**said, "document": digest}


class BotApi:
    """Any token of the right form is a bot, any chat is there."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.troubles: dict[str, Trouble] = {}
        # True once somebody waits for an answer that does not come.
        self.is_silent = False
        # what people did, by bot, until it is confirmed; whoever polls waits on the event
        self.updates: dict[int, list[Said]] = {}
        self.answers: list[Said] = []
        self.polls = 0
        self._numbers = 0
        self._polling: dict[int, asyncio.Event] = {}
        self._news = asyncio.Event()
        self._ended = asyncio.Event()

    def texts(self, chat_id: str) -> list[str]:
        return [one.text for one in self.received if one.chat_id == chat_id]

    def end(self) -> None:
        """Whoever waits for an answer gets one, or is hung up on: nobody holds up the end of the server."""
        self._ended.set()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        path, is_hung_up, answer = str(scope["path"]), False, {}
        if (scope["method"], path) == ("GET", "/"):
            await send_page(send, draw_page(self.received, self.answers))
            return
        try:
            answer = await self._answer(path, scope, receive)
        except BadCall as refusal:
            answer = refusal.answer
        except HungUp:
            is_hung_up = True
        if path in ("/say", "/press") and is_form(scope):
            await send_page(send, "", status=303)
            return
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
                self.troubles[chat_id] = read_trouble(given)
                return {"ok": True, "result": {chat: asdict(one) for chat, one in self.troubles.items()}}
            case "POST", "/say":
                said = await _read_form(scope, receive)
                given = {"text": str(said.get("text", "")), "reply_to": int(said.get("reply_to") or 0)}
                return {"ok": True, "result": self.say(**_as_person(said), **given)}
            case "POST", "/press":
                said = await _read_form(scope, receive)
                number = _read_number(said, "message_id")
                pressed = self.press(**_as_person(said), message_id=number, data=str(said.get("data", "")))
                return {"ok": True, "result": pressed}
            case "DELETE", "/trouble":
                self.troubles.clear()
                return {"ok": True, "result": {}}
        raise BadCall(404, "Not Found")

    async def _call(self, bot_id: int, method: str, scope: MutableMapping[str, Any], receive: Receive) -> Said:
        given = await _read_form(scope, receive)
        match method:
            case "getme":
                return {"id": bot_id, "is_bot": True, "first_name": "Pabal simulator", "username": f"sim{bot_id}_bot"}
            case "getupdates":
                return await self._hand_out(bot_id, given)  # type: ignore[return-value]  # a list, as the Bot API has it
            case "answercallbackquery":
                self.answers.append(given)
                return True  # type: ignore[return-value]  # as the Bot API has it
            case "editmessagetext":
                return self._edit(bot_id, given)
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
            await self._misbehave(trouble, receive())
        file_name, document = given.get("document", (None, None))
        markup = given.get("reply_markup")
        asks = bool((json.loads(markup) if isinstance(markup, str) else markup or {}).get("force_reply"))
        made = (len(self.received) + 1, chat_id, bot_id, text, document, file_name)
        message = Received(*made, buttons=_read_buttons(markup), wants_reply=asks)
        self.received.append(message)
        if trouble is not None:
            raise HungUp
        return _as_result(message)

    def say(self, *, bot_id: int, from_id: int, chat_id: str, text: str, reply_to: int = 0) -> int:
        """Somebody writes to the bot, perhaps in reply to a message of its; answers the number of the update."""
        message = {"message_id": 0, "from": _as_user(from_id), "chat": _as_chat(chat_id), "text": text}
        before = [one for one in self.received if one.message_id == reply_to]
        if before:
            bot = {"id": before[0].bot_id, "is_bot": True, "first_name": "Pabal simulator"}
            message["reply_to_message"] = {**_as_result(before[0]), "from": bot}
        return self._happen(bot_id, {"message": message})

    def press(self, *, bot_id: int, from_id: int, chat_id: str, message_id: int, data: str) -> int:
        """Somebody presses a button, perhaps an old one."""
        message = {"message_id": message_id, "chat": _as_chat(chat_id)}
        pressed = {"from": _as_user(from_id), "message": message, "chat_instance": "1", "data": data}
        return self._happen(bot_id, {"callback_query": pressed})

    def _happen(self, bot_id: int, what: Said) -> int:
        self._numbers += 1
        if "callback_query" in what:
            what["callback_query"]["id"] = f"q{self._numbers}"
        self.updates.setdefault(bot_id, []).append({"update_id": self._numbers, **what})
        self._news.set()
        self._news = asyncio.Event()
        return self._numbers

    async def _hand_out(self, bot_id: int, given: Said) -> list[Said]:
        """Of two who poll at once the first is refused, as the real one does."""
        trouble = self._trouble("getUpdates")
        if trouble is not None:
            await self._misbehave(trouble, asyncio.Event().wait())
        self.polls += 1
        before, mine = self._polling.get(bot_id), asyncio.Event()
        if before is not None:
            before.set()
        self._polling[bot_id] = mine
        offset = int(given.get("offset") or 0)
        self.updates[bot_id] = [one for one in self.updates.get(bot_id, []) if one["update_id"] >= offset]
        ends = asyncio.get_running_loop().time() + float(given.get("timeout") or 0)
        while not self.updates[bot_id] and not mine.is_set():
            left = ends - asyncio.get_running_loop().time()
            if left <= 0 or self._ended.is_set():
                break
            await _first_of(self._news.wait(), mine.wait(), self._ended.wait(), seconds=left)
        if mine.is_set():
            raise BadCall(409, "Conflict: terminated by other getUpdates request")
        del self._polling[bot_id]
        return self.updates[bot_id][: int(given.get("limit") or 100)]

    def _edit(self, bot_id: int, given: Said) -> Said:
        wanted = int(given.get("message_id") or 0)
        for place, one in enumerate(self.received):
            if one.message_id == wanted and one.chat_id == str(given.get("chat_id")) and one.bot_id == bot_id:
                buttons = _read_buttons(given.get("reply_markup"))
                if (one.text, one.buttons) == (str(given.get("text")), buttons):
                    raise BadCall(400, "Bad Request: message is not modified")
                self.received[place] = replace(one, text=str(given["text"]), buttons=buttons, edited=one.edited + 1)
                return _as_result(self.received[place])
        raise BadCall(400, "Bad Request: message to edit not found")

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

    async def _misbehave(self, trouble: Trouble, gone: Coroutine[Any, Any, object]) -> None:
        """`gone` ends when the client has gone."""
        if trouble.kind is Kind.SILENT:
            await _first_of(gone, self._ended.wait())
        else:
            gone.close()
            refuse(trouble)
        raise HungUp


async def _first_of(*waits: Coroutine[Any, Any, object], seconds: float | None = None) -> None:
    tasks = [asyncio.create_task(one) for one in waits]
    await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for one in tasks:
        one.cancel()


def _read_buttons(markup: Any) -> tuple[tuple[tuple[str, str], ...], ...]:
    rows = json.loads(markup) if isinstance(markup, str) else (markup or {})
    made = tuple(
        tuple((str(one["text"]), str(one["callback_data"])) for one in row) for row in rows.get("inline_keyboard", ())
    )
    if any(not 1 <= len(data.encode()) <= MOST_DATA for row in made for _, data in row):
        raise BadCall(400, "Bad Request: BUTTON_DATA_INVALID")
    return tuple(row for row in made if row)


def _as_person(said: Said) -> Said:
    numbers = {name: _read_number(said, name) for name in ("bot_id", "from_id")}
    return {**numbers, "chat_id": str(said.get("chat_id", ""))}


def _read_number(said: Said, name: str) -> int:
    """A field that was left empty is not sent at all."""
    try:
        return int(said[name])
    except (KeyError, ValueError) as error:
        raise BadCall(400, f"Bad Request: {name} is a number") from error


def _as_user(from_id: int) -> Said:
    return {"id": from_id, "is_bot": False, "first_name": f"Person {from_id}"}


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
        self._server = AskedServer(quiet(self.api, timeout_graceful_shutdown=1))
        self._task: asyncio.Task[None] | None = None
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"

    async def __aenter__(self) -> "Simulator":
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]), name="telegram simulator")
        await self._server.is_up.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.api.end()
        self._server.asked.set()
        if self._task is not None:
            await self._task
        self._socket.close()

    async def run_until_stopped(self) -> None:
        if self._task is not None:
            await self._task


async def _main(port: int) -> None:
    async with Simulator(port=port) as simulator:
        sys.stdout.write(
            f"Telegram simulator: PABAL_TELEGRAM_URL={simulator.url}, what arrived: {simulator.url}/sent\n"
        )
        sys.stdout.flush()
        await simulator.run_until_stopped()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 8443))
