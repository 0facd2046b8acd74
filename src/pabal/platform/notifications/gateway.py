"""Telegram's Bot API as far as we use it. Answers are values; the token is in no address, error or log line of ours."""

import json
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import httpx2

from pabal.platform.storage import Content

_TIMEOUT = httpx2.Timeout(30.0, connect=10.0)


class Wire:
    def __init__(self) -> None:
        self._client = httpx2.AsyncClient(transport=_TokenInPath(), timeout=_TIMEOUT)

    async def post(
        self, url: str, content: bytes | AsyncIterator[bytes], headers: dict[str, str], *, token: str
    ) -> tuple[int, bytes] | str:
        """Status and body, or the name of what went wrong. The token goes between the path's last two parts."""
        try:
            response = await self._client.post(url, content=content, headers=headers, extensions={"bot_token": token})
        except httpx2.RequestError as error:
            return type(error).__name__
        return response.status_code, response.content

    async def close(self) -> None:
        await self._client.aclose()


class _TokenInPath(httpx2.AsyncBaseTransport):
    """Puts the token into the path at the last moment: the client above logs addresses and puts them into errors."""

    def __init__(self) -> None:
        self._wire = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        token = request.extensions.pop("bot_token")
        base, _, method = request.url.raw_path.rpartition(b"/")
        return await self._wire.handle_async_request(
            httpx2.Request(
                request.method,
                request.url.copy_with(raw_path=base + f"{token}/".encode() + method),
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )

    async def aclose(self) -> None:
        await self._wire.aclose()


URL = "https://api.telegram.org"
LARGEST_FILE = 50 * 1024 * 1024
# What to wait when it says "too many" without saying how long.
SOME_TIME = timedelta(seconds=30)
# How a message begins that is to be replied to.
QUESTION = "✍️ "


@dataclass(frozen=True, slots=True)
class Sent:
    """It is in the chat, under this number; 0 where there is none."""

    message_id: int = 0


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a message; `data` comes back when it is pressed, 64 bytes at most."""

    text: str
    data: str


@dataclass(frozen=True, slots=True)
class Update:
    """What somebody did in a chat with the bot: `text` was written, or `data` of a button was pressed.

    `chat_kind` is Telegram's: private, group, supergroup, channel. `question`: what a bot had asked (`ask`), and this
    is the reply to; `asked_by` is the bot's number.
    """

    update_id: int
    from_id: int
    from_name: str
    chat_id: str
    chat_kind: str
    text: str = ""
    data: str = ""
    callback_id: str = ""
    question: str = ""
    asked_by: int = 0


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """Too many: nothing may be sent there before this has passed."""

    wait: timedelta


@dataclass(frozen=True, slots=True)
class Moved:
    """The group was upgraded; from now on it has this id."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class Refused:
    """It will never be taken like this. `stops` tells a refusal of the bot or the chat from one of the message."""

    code: int
    description: str

    @property
    def stops(self) -> bool:
        return self.code in (401, 403, 404)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No answer, or none of the Bot API. Whether the message arrived is unknown when the answer was lost."""

    reason: str


Answer = Sent | RetryAfter | Moved | Refused | Unreachable


@dataclass(frozen=True, slots=True)
class Upload:
    """A file being read, and the name it gets."""

    name: str
    content: Content


class Telegram:
    """One client for all bots; the token comes with each call."""

    def __init__(self, url: str = URL) -> None:
        self._base = url.rstrip("/")
        self._wire: Wire | None = None

    async def send_message(self, token: str, chat_id: str, text: str, buttons: Sequence[Button] = ()) -> Answer:
        body: dict[str, Any] = {"chat_id": chat_id, "text": text, "link_preview_options": {"is_disabled": True}}
        if buttons:
            body["reply_markup"] = {
                "inline_keyboard": [[{"text": one.text, "callback_data": one.data} for one in buttons]]
            }
        return await self._say(token, "sendMessage", body)

    async def ask(self, token: str, update: Update, question: str) -> Answer:
        """Whoever did the update is asked; the others of a group are not bothered."""
        name = update.from_name or str(update.from_id)
        mention = {"type": "text_mention", "offset": _units(QUESTION), "length": _units(name)}
        body = {
            "chat_id": update.chat_id,
            "text": f"{QUESTION}{name}\n{question}",
            "entities": [{**mention, "user": {"id": update.from_id, "is_bot": False, "first_name": name}}],
            "reply_markup": {"force_reply": True, "selective": True},
        }
        return await self._say(token, "sendMessage", body)

    async def edit_message(self, token: str, chat_id: str, message_id: int, text: str) -> Answer:
        """Its buttons go. What it says already needs no edit."""
        body = {"chat_id": chat_id, "message_id": message_id, "text": text, "reply_markup": {"inline_keyboard": []}}
        answered = await self._say(token, "editMessageText", body)
        is_there = isinstance(answered, Refused) and "message is not modified" in answered.description
        return Sent(message_id) if is_there else answered

    async def answer_callback(self, token: str, callback_id: str, text: str, *, is_alert: bool) -> Answer:
        body = {"callback_query_id": callback_id, "text": text[:200], "show_alert": is_alert}
        return await self._say(token, "answerCallbackQuery", body)

    async def get_updates(self, token: str, *, offset: int, wait: int) -> "list[Update] | Answer":
        """What came since, or why nothing can be heard. Asking with an offset confirms what is before it."""
        body = {"offset": offset, "timeout": wait, "limit": 100, "allowed_updates": ["message", "callback_query"]}
        content = json.dumps(body).encode()
        answered = await self._ask(token, "getUpdates", content, {"content-type": "application/json"})
        if isinstance(answered, str):
            return Unreachable(f"getUpdates: {answered}")
        said = _read_json(answered[1])
        if answered[0] == 200 and said is not None and said.get("ok") is True:
            return [read_update(one) for one in said.get("result") or ()]
        return read_answer(*answered)

    async def _say(self, token: str, method: str, body: dict[str, Any]) -> Answer:
        content = json.dumps(body, ensure_ascii=False).encode()
        return await self._call(token, method, content, {"content-type": "application/json"})

    async def send_document(self, token: str, chat_id: str, upload: Upload, caption: str = "") -> Answer:
        """Streamed: no more than a chunk of the file is in memory."""
        if upload.content.size > LARGEST_FILE:
            return Refused(413, f"{upload.name} has {upload.content.size} bytes; bots may send up to {LARGEST_FILE}")
        form = _Form({"chat_id": chat_id, **({"caption": caption} if caption else {})}, upload)
        return await self._call(token, "sendDocument", form.chunks(), form.headers)

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()

    async def _call(
        self, token: str, method: str, content: bytes | AsyncIterator[bytes], headers: dict[str, str]
    ) -> Answer:
        answered = await self._ask(token, method, content, headers)
        return Unreachable(f"{method}: {answered}") if isinstance(answered, str) else read_answer(*answered)

    async def _ask(
        self, token: str, method: str, content: bytes | AsyncIterator[bytes], headers: dict[str, str]
    ) -> tuple[int, bytes] | str:
        if self._wire is None:
            self._wire = Wire()
        return await self._wire.post(f"{self._base}/bot/{method}", content, headers, token=token)


def read_update(said: dict[str, Any]) -> Update:
    """Whatever it is, it has a number, so that it is not asked for again; what we do not know is about nothing."""
    pressed = said.get("callback_query") or {}
    message = pressed.get("message") or said.get("message") or {}
    who = pressed.get("from") or message.get("from") or {}
    chat = message.get("chat") or {}
    before = message.get("reply_to_message") or {} if not pressed else {}
    asked = str(before.get("text") or "")
    return Update(
        update_id=int(said["update_id"]),
        from_id=int(who.get("id") or 0),
        from_name=str(who.get("first_name") or ""),
        chat_id=str(chat.get("id") or ""),
        chat_kind=str(chat.get("type") or ""),
        text="" if pressed else str(message.get("text") or ""),
        data=str(pressed.get("data") or ""),
        callback_id=str(pressed.get("id") or ""),
        question=asked if asked.startswith(QUESTION) else "",
        asked_by=int((before.get("from") or {}).get("id") or 0),
    )


def read_answer(status: int, body: bytes) -> Answer:
    """What is no answer of the Bot API comes from something in between, and says nothing about bot or chat."""
    said = _read_json(body)
    if said is None or status >= 500:
        return Unreachable(f"answered {status}")
    if said.get("ok") is True:
        result = said.get("result")
        return Sent(int(result.get("message_id") or 0) if isinstance(result, dict) else 0)
    hints = said.get("parameters") or {}
    code = int(said.get("error_code") or status)
    if code >= 500:
        return Unreachable(f"answered {code}")
    if code == 429:
        seconds = hints.get("retry_after")
        return RetryAfter(SOME_TIME if seconds is None else timedelta(seconds=int(seconds)))
    if "migrate_to_chat_id" in hints:
        return Moved(str(hints["migrate_to_chat_id"]))
    return Refused(code, str(said.get("description") or "no reason given"))


def _units(text: str) -> int:
    """Telegram counts as UTF-16 does."""
    return len(text.encode("utf-16-le")) // 2


def _read_json(body: bytes) -> dict[str, Any] | None:
    try:
        said = json.loads(body)
    except ValueError:
        return None
    return said if isinstance(said, dict) and "ok" in said else None


class _Form:
    """multipart/form-data with one file at its end, its length known beforehand."""

    def __init__(self, fields: dict[str, str], upload: Upload) -> None:
        boundary = secrets.token_hex(16)
        head = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        # As browsers write it: other letters stay, what would end the line or the quotes does not.
        name = "".join(quote(c) if c in '"\r\n' else c for c in upload.name)
        head += f'--{boundary}\r\nContent-Disposition: form-data; name="document"; filename="{name}"\r\n'
        self._head = (head + "Content-Type: application/octet-stream\r\n\r\n").encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        self._content = upload.content
        self.headers = {
            "content-type": f"multipart/form-data; boundary={boundary}",
            "content-length": str(len(self._head) + upload.content.size + len(self._tail)),
        }

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._head
        async for chunk in self._content.chunks:
            yield chunk
        yield self._tail
