"""What people are told, the channels it goes through, and which channel wants what. Pure."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.platform.language import Lang, Pair, put

TITLE_LENGTH = 300
TEXT_LENGTH = 40_000
MOST_WANTS = 20
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
_CHAT = re.compile(r"-?[1-9]\d{0,19}|@[A-Za-z]\w{3,31}", re.ASCII)
_TOKEN = re.compile(r"([1-9]\d{0,17}):[A-Za-z0-9_-]{20,100}", re.ASCII)
_PATTERN = re.compile(r"[a-z0-9_.*]{1,100}")


class Level(StrEnum):
    """From what may be read some day to what needs somebody."""

    INFO = "info"
    ATTENTION = "attention"
    FAILURE = "failure"

    @property
    def and_above(self) -> list[str]:
        levels = list(Level)
        return [level.value for level in levels[levels.index(self) :]]


_MARKS = {Level.INFO: "ℹ️", Level.ATTENTION: "⚠️", Level.FAILURE: "🔴"}


class BadNotice(Invalid, code="bad_notice"):
    """A notice is named area.thing_verbed in small letters, has a title, and its link begins with a slash."""


class ChannelNotFound(NotFound, code="channel_not_found"):
    """There is no such channel, or it is not yours to see."""


class ChannelNameTaken(Conflict, code="channel_name_taken"):
    """This unit already has a channel of that name. Choose another."""


class BadChannel(Invalid, code="bad_channel"):
    """A channel needs a name of 1 to 100 characters, a chat (a number, or the @name of a public channel), and up to 20
    patterns such as messaging.*"""


class BadToken(Invalid, code="bad_token"):
    """This is no bot token. Paste what @BotFather gave you as it is; it looks like 123456789:AA…"""


@dataclass(frozen=True, slots=True)
class Document:
    """A file in the file store, and the name it is sent under."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell people.

    `name` says what kind of thing happened (`messaging.delivery_failed`); channels choose by it. Title and text are
    (English, Korean) and may hold `{value}`s. Without a unit it is the HQ's. `link` is a path of the console,
    `document` a file that goes with it. Of the same `key` one is written per `quiet`; the others are counted on it.
    """

    name: str
    title: Pair
    text: Pair = ("", "")
    values: dict[str, Any] = field(default_factory=dict)
    level: Level = Level.INFO
    unit_id: int | None = None
    about: str | None = None
    link: str | None = None
    document: Document | None = None
    key: str | None = None
    quiet: timedelta = timedelta(hours=1)

    def __post_init__(self) -> None:
        is_path = self.link is None or (self.link.startswith("/") and not self.link.startswith("//"))
        if _NAME.fullmatch(self.name) is None or not all(self.title) or not is_path:
            raise BadNotice(self.name)

    def say_title(self, lang: Lang) -> str:
        return _fit(put(lang, self.title, **self.values), TITLE_LENGTH)

    def say_text(self, lang: Lang) -> str:
        return _fit(put(lang, self.text, **self.values), TEXT_LENGTH)

    def as_message(self, lang: Lang, place: str) -> str:
        """As a channel carries it, which may hear of many units: so it names the place."""
        head = f"{_MARKS[self.level]} {place} · {self.say_title(lang)}"
        return f"{head}\n{self.say_text(lang)}".strip()


@dataclass(frozen=True, slots=True)
class Notification:
    """A notice as the console shows it. `times` counts it and its repetitions, `last_at` is the last of them."""

    id: int
    unit_id: int | None
    name: str
    level: Level
    title: Pair
    text: Pair
    about: str | None
    link: str | None
    document: Document | None
    times: int
    at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ChannelForm:
    """What a person says about a channel. Without a token, an edit keeps the one there is."""

    name: str
    chat_id: str
    token: str | None = field(default=None, repr=False)
    lang: Lang = "ko"
    least_level: Level = Level.ATTENTION
    wants: tuple[str, ...] = ()
    is_active: bool = True

    def __post_init__(self) -> None:
        patterns_fit = len(self.wants) <= MOST_WANTS and all(map(_PATTERN.fullmatch, self.wants))
        if not 1 <= len(self.name.strip()) <= 100 or _CHAT.fullmatch(self.chat_id) is None or not patterns_fit:
            raise BadChannel(self.name[:100])


@dataclass(frozen=True, slots=True)
class Channel:
    """`stopped_at`: Telegram refuses the bot or the chat, so nothing more is tried until a test or an edit mends it.

    Of the token only the last four characters are known here.
    """

    id: int
    unit_id: int
    kind: str
    name: str
    chat_id: str
    bot_id: int
    token_tail: str
    lang: Lang
    least_level: Level
    wants: tuple[str, ...]
    is_active: bool
    stopped_at: datetime | None
    last_ok_at: datetime | None
    last_error: str | None
    last_error_at: datetime | None
    created_at: datetime

    def wants_notice(self, notice: Notice) -> bool:
        is_named = not self.wants or any(fnmatchcase(notice.name, pattern) for pattern in self.wants)
        return is_named and notice.level.value in self.least_level.and_above


@dataclass(frozen=True, slots=True)
class Message:
    """What goes through a channel. Without a notification it is a test."""

    text: str
    link: str | None = None
    document: Document | None = None
    notification_id: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message through one channel. `result` is None while it is on its way; a test has no notification."""

    id: int
    channel_id: int
    notification_id: int | None
    parts_sent: int
    result: str | None
    detail: str | None
    created_at: datetime
    ended_at: datetime | None


def read_bot_id(token: str) -> int:
    """The public half of a token. The token itself is never part of an error."""
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise BadToken
    return int(found[1])


def _fit(said: str, most: int) -> str:
    """A notice must never fail its cause: what the database cannot hold is left out, what is too long is cut."""
    held = said.replace("\x00", "").encode("utf-8", "replace").decode()
    return held if len(held) <= most else held[: most - 1] + "…"
