"""The ways out of here: for each kind of channel which work carries a message, how patiently, and how it is written."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pabal.engine import ids

if TYPE_CHECKING:
    from pabal.platform.notifications.model import Channel, Notice
    from pabal.platform.tenants import Unit

TELEGRAM, WEBHOOK, EMAIL = "telegram", "webhook", "email"


@dataclass(frozen=True, slots=True)
class Way:
    """`stale_after`: what did not get through by then is given up; it is in the console."""

    kind: str
    stale_after: timedelta
    max_failures: int
    deadline: timedelta = timedelta(minutes=1)


WAYS = {
    # News of yesterday's trouble is in the console; a phone need not ring for it. About two hours of tries.
    TELEGRAM: Way("notify.telegram", timedelta(hours=24), 18),
    # A program may be away for a night: about eleven hours of tries, unless the channel is paused before.
    WEBHOOK: Way("notify.webhook", timedelta(hours=72), 20),
    EMAIL: Way("notify.email", timedelta(hours=24), 20, timedelta(minutes=3)),
}


def lane_of(channel: "Channel") -> str:
    return f"telegram:{channel.chat_id}" if channel.kind == TELEGRAM else f"{channel.kind}:{channel.id}"


def write_notice(channel: "Channel", notice: "Notice", place: "Unit", notification_id: int, at: datetime) -> str:
    if channel.kind != WEBHOOK:
        return notice.as_message(channel.lang, place.name)
    data = {
        "notification": ids.show("ntf", notification_id),
        "level": notice.level.value,
        "title": notice.say_title(channel.lang),
        "text": notice.say_text(channel.lang),
        "unit": {"id": place.id, "name": place.name},
        "about": notice.about,
        "document": None if notice.document is None else notice.document.name,
    }
    return write_event(notice.name, at, data)


def write_event(name: str, at: datetime, data: dict[str, Any]) -> str:
    """What a webhook posts, to the letter: the same at every attempt."""
    said = {"type": name, "timestamp": at.isoformat(timespec="milliseconds"), "data": data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), default=str)


def with_link(body: str, link: str | None, console_url: str | None) -> bytes:
    """Which console it is, only the server that sends it knows."""
    if link is None:
        return body.encode()
    said = json.loads(body)
    said["data"]["link"] = f"{console_url or ''}{link}"
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
