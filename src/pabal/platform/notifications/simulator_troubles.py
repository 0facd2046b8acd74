"""How a chat of the Telegram stand-in misbehaves, and what the Bot API says when it refuses."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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


class BadCall(Exception):
    """Answered as the Bot API answers what it does not take."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.answer: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
        if parameters:
            self.answer["parameters"] = parameters


class HungUp(Exception):
    """The connection is closed in the middle of an answer."""


def read_trouble(given: dict[str, Any]) -> Trouble:
    try:
        return Trouble(**given)
    except (TypeError, ValueError) as error:
        raise BadCall(400, f"Bad Request: {error}") from error


def refuse(trouble: Trouble) -> None:
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
