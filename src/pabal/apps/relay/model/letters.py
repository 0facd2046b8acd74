"""A message as instances get it, by long poll and by stream alike. Pure."""

from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID


class Lettered(Protocol):
    @property
    def uid(self) -> UUID: ...
    @property
    def conversation_key(self) -> str: ...
    @property
    def kakao_payload(self) -> dict[str, Any]: ...
    @property
    def normalized(self) -> dict[str, Any]: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def callback_expires_at(self) -> datetime: ...
    @property
    def answer_by(self) -> datetime: ...
    @property
    def handed_out(self) -> int: ...


def show_letter(letter: Lettered, now: datetime) -> dict[str, Any]:
    """Without its callback address: that works once, and is the relay's to use."""
    payload = hide_callback(letter.kakao_payload)
    return {
        "id": str(letter.uid),
        "conversationKey": letter.conversation_key,
        "kakaoPayload": payload,
        "payload": payload,
        "normalized": letter.normalized,
        "createdAt": show_moment(letter.created_at),
        "callbackExpiresAt": show_moment(letter.callback_expires_at),
        "remainingMs": max(0, int((letter.answer_by - now).total_seconds() * 1000)),
        "attempt": letter.handed_out + 1,
    }


def hide_callback(payload: dict[str, Any]) -> dict[str, Any]:
    asked = payload.get("userRequest")
    if not isinstance(asked, dict) or "callbackUrl" not in asked:
        return payload
    return {**payload, "userRequest": {name: one for name, one in asked.items() if name != "callbackUrl"}}


def show_moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
