"""What a message says: an event, or why it is none. Pure. Whatever comes, PostgreSQL can keep what this answers."""

import json
from typing import Any

from pabal.platform.broker.model import MOST_BYTES, Event, EventUnreadable

MOST_SIGNS = 200
SHOWN = 1000


def read_event(body: bytes) -> Event:
    """Raises EventUnreadable."""
    if len(body) > MOST_BYTES:
        raise EventUnreadable(f"{len(body)} bytes, at most {MOST_BYTES}")
    said = _parse(body)
    if not isinstance(said, dict):
        raise EventUnreadable("it is no JSON object")
    data = said.get("data")
    if not (data is None or isinstance(data, dict)):
        raise EventUnreadable("data is no object")
    subject = said.get("subject")
    return Event(
        _word(said, "id"), _word(said, "name"), "" if subject in (None, "") else _word(said, "subject"), data or {}
    )


def find_id(body: bytes) -> str | None:
    """The id of a message that is no event otherwise; None when it has none either."""
    if len(body) > MOST_BYTES:
        return None
    try:
        said = _parse(body)
        return _word(said, "id") if isinstance(said, dict) else None
    except EventUnreadable:
        return None


def show(body: bytes) -> str:
    """The beginning of it, as text."""
    return body[:SHOWN].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _parse(body: bytes) -> Any:
    try:
        text = body.decode()
        said = json.loads(text, parse_constant=_refuse)
        # once more: numbers beyond all bounds and halves of signs are read by Python and kept by no database
        json.dumps(said, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise EventUnreadable(f"it is no JSON: {str(error)[:200]}") from error
    if "\\u0000" in text:
        raise EventUnreadable("it holds a NUL character")
    return said


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _word(said: dict[str, Any], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_SIGNS:
        raise EventUnreadable(f"{name} is a text of 1 to {MOST_SIGNS} signs")
    return value
