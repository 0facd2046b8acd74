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


# It asks again soon: what a button does comes back a moment after it was pressed. Not while somebody writes.
SOON, LATER = 2, 60
_PAGE = """<!doctype html><html lang="ko"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{seconds}"><title>Telegram</title><link rel="icon" href="data:,"><style>
body {{ font-family: sans-serif; max-width: 44rem; margin: 1rem auto; padding: 0 1rem; }}
ol, ul {{ padding: 0; list-style: none; }} h2 {{ font-size: 1rem; }}
li {{ margin: .5rem 0; padding: .75rem; border: 1px solid #ccc; border-radius: .5rem; }}
pre {{ margin: 0; white-space: pre-wrap; font: inherit; }} form {{ margin-top: .5rem; }}
button {{ font: inherit; padding: .25rem .75rem; margin-inline-end: .5rem; }}
details {{ margin-top: .5rem; color: #555; }}
</style></head><body><h1>텔레그램 (가상) · Telegram, simulated</h1>{told}{chats}</body></html>"""
_TOLD = "<h2>단추의 답 · Answers to buttons</h2><ul>{lines}</ul>"


def _draw_chat(bot_id: int, chat_id: str, held: list[Message], who: str) -> str:
    """The newest first, so that nobody looks for it."""
    lines = "".join(
        f"<li><pre>{escape(one.text)}</pre>{_draw_document(one)}{_draw_buttons(one, who)}{_draw_reply(one, who)}</li>"
        for one in held[::-1]
    )
    kind = "개인 대화 · Private chat" if chat_id.isdigit() else "단체방 · Group"
    return f"<section><h2>{kind} {escape(chat_id)} · bot {bot_id}</h2><ol>{lines}</ol></section>"


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
    other = f'<details{"" if who else " open"}><summary>다른 사람으로 누르기 · Press as somebody else</summary><input name="from_id" value="{who}" required inputmode="numeric" aria-label="from"></details>'  # noqa: E501 -- one line of HTML
    return f'<form method="post" action="/press">{hidden}{pressed}{other}</form>'


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
    told = "".join(f"<li>{escape(str(one.get('text', '')))}</li>" for one in answers[:-6:-1])
    nothing = "<p>아직 아무것도 오지 않았습니다. Nothing has arrived yet.</p>"
    seconds = LATER if any(held[-1].wants_reply for held in chats.values()) else SOON
    answered = _TOLD.format(lines=told) if told else ""
    return _PAGE.format(seconds=seconds, chats="".join(parts) or nothing, told=answered)


def is_form(scope: MutableMapping[str, Any]) -> bool:
    return any(name == b"content-type" and b"urlencoded" in value for name, value in scope["headers"])


async def send_page(
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]], page: str, *, status: int = 200
) -> None:
    body = page.encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"location", b"/")]})
    await send({"type": "http.response.body", "body": body})
