"""The chats of the stand-in as a page, with the buttons to press: for people without a phone, and for the demo."""

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from html import escape
from typing import Any, Protocol


class Message(Protocol):
    """As the stand-in keeps it."""

    @property
    def message_id(self) -> int: ...
    @property
    def chat_id(self) -> str: ...
    @property
    def bot_id(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def file_name(self) -> str | None: ...
    @property
    def buttons(self) -> tuple[tuple[tuple[str, str], ...], ...]: ...
    @property
    def wants_reply(self) -> bool: ...


_PAGE = """<!doctype html><html lang="ko"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5"><title>Telegram</title>
<h1>텔레그램 (가상) · Telegram, simulated</h1>{chats}<h2>단추의 답 · Answers to buttons</h2><ul>{told}</ul></html>"""


def _draw_chat(bot_id: int, chat_id: str, held: list[Message], who: str) -> str:
    lines = "".join(
        f"<li><pre>{escape(one.text)}</pre>{_draw_document(one)}{_draw_buttons(one, who)}{_draw_reply(one, who)}</li>"
        for one in held
    )
    return f"<section><h2>{escape(chat_id)} · bot {bot_id}</h2><ol>{lines}</ol></section>"


def _draw_document(one: Message) -> str:
    return "" if one.file_name is None else f"<p>📎 {escape(one.file_name)}</p>"


def _draw_buttons(one: Message, who: str) -> str:
    """`who` presses, unless somebody says that they are somebody else."""
    if not one.buttons:
        return ""
    hidden = f'<input type="hidden" name="bot_id" value="{one.bot_id}"><input type="hidden" name="chat_id" value="{escape(one.chat_id)}"><input type="hidden" name="message_id" value="{one.message_id}">'  # noqa: E501 -- one line of HTML
    pressed = "".join(
        f'<button name="data" value="{escape(data)}">{escape(text)}</button>'
        for row in one.buttons
        for text, data in row
    )
    return f'<form method="post" action="/press">{hidden}<input name="from_id" value="{who}" required inputmode="numeric" aria-label="from">{pressed}</form>'  # noqa: E501 -- one line of HTML


def _draw_reply(one: Message, who: str) -> str:
    if not one.wants_reply:
        return ""
    hidden = f'<input type="hidden" name="bot_id" value="{one.bot_id}"><input type="hidden" name="chat_id" value="{escape(one.chat_id)}"><input type="hidden" name="reply_to" value="{one.message_id}">'  # noqa: E501 -- one line of HTML
    return f'<form method="post" action="/say">{hidden}<input name="from_id" value="{who}" required inputmode="numeric" aria-label="from"><input name="text" required maxlength="500" aria-label="답장 · reply"><button>답장 · Reply</button></form>'  # noqa: E501 -- one line of HTML


def draw_page(received: Sequence[Message], answers: Sequence[dict[str, Any]]) -> str:
    chats: dict[tuple[int, str], list[Message]] = {}
    for one in received:
        chats.setdefault((one.bot_id, one.chat_id), []).append(one)
    # whose private chat it is; in a group, the first who has one with the bot
    people = {bot_id: chat_id for bot_id, chat_id in reversed(chats) if chat_id.isdigit()}
    parts = [
        _draw_chat(bot_id, chat_id, held, chat_id if chat_id.isdigit() else people.get(bot_id, ""))
        for (bot_id, chat_id), held in chats.items()
    ]
    told = "".join(f"<li>{escape(str(one.get('text', '')))}</li>" for one in answers[-5:])
    nothing = "<p>아직 아무것도 오지 않았습니다. Nothing has arrived yet.</p>"
    return _PAGE.format(chats="".join(parts) or nothing, told=told)


def is_form(scope: MutableMapping[str, Any]) -> bool:
    return any(name == b"content-type" and b"urlencoded" in value for name, value in scope["headers"])


async def send_page(
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]], page: str, *, status: int = 200
) -> None:
    body = page.encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"location", b"/")]})
    await send({"type": "http.response.body", "body": body})
