"""What people are told, the channels it goes through, and which channel wants what. Pure."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language import Lang, Pair, put
from pabal.platform.notifications import ways
from pabal.platform.notifications.mail import is_mailbox

TITLE_LENGTH = 300
TEXT_LENGTH = 40_000
MOST_WANTS = 20
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
_CHAT = re.compile(r"-?[1-9]\d{0,19}|@[A-Za-z]\w{3,31}", re.ASCII)
_TOKEN = re.compile(r"([1-9]\d{0,17}):[A-Za-z0-9_-]{20,100}", re.ASCII)
_PATTERN = re.compile(r"[a-z0-9_.*]{1,100}")
_NAME_FAULT = Finding("bad_name", "name", ("A name has 1 to 100 characters.", "이름은 1~100자입니다."))
_CHAT_FAULT = Finding(
    "bad_chat",
    "chat_id",
    (
        "A chat is a number such as 4242 or -1001234567890, or the @name of a public channel.",
        "채팅은 4242나 -1001234567890 같은 숫자, 또는 공개 채널의 @이름입니다.",
    ),
)
_URL_FAULT = Finding(
    "bad_url",
    "address",
    (
        "An address such as https://example.com/hook, without a user, a password or a part after #.",
        "https://example.com/hook 같은 주소를 쓰세요. 사용자, 비밀번호, # 뒷부분은 넣을 수 없습니다.",
    ),
)
_MAIL_FAULT = Finding(
    "bad_mail",
    "address",
    (
        "One to 20 mailboxes such as kim@example.com, separated by commas.",
        "kim@example.com 같은 메일 주소를 쉼표로 나누어 20개까지 씁니다.",
    ),
)
_WANTS_FAULT = Finding(
    "bad_pattern",
    "wants",
    (
        "Up to 20 patterns of small letters, digits, dots and stars, such as alerts.*",
        "소문자, 숫자, 점, 별표로 된 패턴을 20개까지 씁니다. 예: alerts.*",
    ),
)


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


class BadChannel(FieldsRefused, code="bad_channel"):
    """A channel needs a name of 1 to 100 characters, where it leads (a chat, an https address or mailboxes), and up to
    20 patterns such as messaging.*"""


class ChannelStopped(Conflict, code="channel_stopped"):
    """Nothing goes through this channel: it is off or stopped. Turn it on, or send a test that arrives, first."""


class NoSecret(Conflict, code="no_webhook_secret"):
    """Only a webhook has a secret to sign with."""


class DeliveryNotFound(NotFound, code="channel_delivery_not_found"):
    """Nothing like this went through the channel, or it is too long ago."""


class DeliveryOnItsWay(Conflict, code="channel_delivery_on_its_way"):
    """It is still on its way, so it is not sent again beside itself. Wait for its end."""


class BadToken(Invalid, code="bad_token"):
    """This is no bot token. Paste what @BotFather gave you as it is; it looks like 123456789:AA…"""


@dataclass(frozen=True, slots=True)
class Document:
    """A file in the file store, and the name it is sent under."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Card:
    """Buttons under a message about an approval: (label, what comes back when it is pressed)."""

    approval_id: int
    buttons: tuple[tuple[Pair, str], ...]

    def to_json(self, lang: Lang) -> list[list[str]]:
        return [[put(lang, label), data] for label, data in self.buttons]


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
    card: "Card | None" = None

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
    """What a person says about a channel. Without a token, an edit keeps the one there is.

    Telegram has `chat_id` and `token`; a webhook's `address` is where it is posted to, e-mail's who gets it.
    `is_two_way`: what people say to the bot is listened to, which one program at a time can do.
    """

    name: str
    chat_id: str = ""
    token: str | None = field(default=None, repr=False)
    lang: Lang = "ko"
    least_level: Level = Level.ATTENTION
    wants: tuple[str, ...] = ()
    is_active: bool = True
    kind: str = ways.TELEGRAM
    address: str = ""
    is_two_way: bool = True

    def __post_init__(self) -> None:
        patterns_fit = len(self.wants) <= MOST_WANTS and all(map(_PATTERN.fullmatch, self.wants))
        is_wrong = {
            _NAME_FAULT: not 1 <= len(self.name.strip()) <= 100,
            _WHERE_FAULTS[self.kind]: not self._leads_somewhere(),
            _WANTS_FAULT: not patterns_fit,
        }
        if any(is_wrong.values()):
            raise BadChannel([finding for finding, is_so in is_wrong.items() if is_so])

    def _leads_somewhere(self) -> bool:
        if self.kind == ways.TELEGRAM:
            return _CHAT.fullmatch(self.chat_id) is not None
        return is_webhook_url(self.address) if self.kind == ways.WEBHOOK else bool(read_mailboxes(self.address))


_WHERE_FAULTS = {ways.TELEGRAM: _CHAT_FAULT, ways.WEBHOOK: _URL_FAULT, ways.EMAIL: _MAIL_FAULT}


@dataclass(frozen=True, slots=True)
class Channel:
    """`stopped_at`: nothing more is tried until a test or an edit mends it. Telegram refused the bot or the chat, or
    too many attempts in a row failed (`failures`, since `failing_since`).

    Of the token, or a webhook's secret, only the last four characters are known here. `address` is None in Telegram;
    elsewhere there is no chat and no bot. `secret` is known only to what has just made it.
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
    # whose own chat it is
    user_id: int | None = None
    address: str | None = None
    before_until: datetime | None = None
    failures: int = 0
    failing_since: datetime | None = None
    is_two_way: bool = True
    secret: str | None = field(default=None, repr=False, compare=False)

    @property
    def leads_to(self) -> str:
        """For people: the chat, the mailboxes, or the webhook without what its address may hide after a `?`."""
        if self.address is None:
            return self.chat_id
        return self.address.partition("?")[0] if self.kind == ways.WEBHOOK else self.address

    def wants_notice(self, notice: Notice) -> bool:
        is_named = not self.wants or any(fnmatchcase(notice.name, pattern) for pattern in self.wants)
        return is_named and notice.level.value in self.least_level.and_above


@dataclass(frozen=True, slots=True)
class Message:
    """What goes through a channel. Without a notification it is a test, or a call: what an app itself sends.

    `replay_of` is the delivery that said it first.
    """

    text: str
    link: str | None = None
    document: Document | None = None
    notification_id: int | None = None
    card: Card | None = None
    is_call: bool = False
    replay_of: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message through one channel. `result` is None while it is on its way; a test has no notification.

    `attempts` and `last_status` are of a webhook and of e-mail, where every try is kept.
    """

    id: int
    channel_id: int
    notification_id: int | None
    parts_sent: int
    result: str | None
    detail: str | None
    created_at: datetime
    ended_at: datetime | None
    is_call: bool = False
    replay_of: int | None = None
    attempts: int = 0
    last_status: int | None = None

    @property
    def is_test(self) -> bool:
        return self.notification_id is None and not self.is_call


def is_webhook_url(text: str) -> bool:
    """Of its form; whether it leads into a private network is looked at when it is called."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    is_plain = parts.username is None and parts.password is None and not parts.fragment
    is_visible = text.isascii() and text.isprintable() and " " not in text and len(text) <= 2000
    return parts.scheme in ("https", "http") and bool(host) and is_plain and is_visible


def read_mailboxes(text: str) -> list[str]:
    """Nothing if one of them is none."""
    given = [part.strip() for part in text.replace("\n", ",").split(",") if part.strip()]
    return given if len(given) <= 20 and all(map(is_mailbox, given)) else []


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
