"""Kakao's skill protocol 2.0: what a request says, what a direct answer looks like, and what names a request. Pure."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

VERSION = "2.0"
DEFAULT_CHANNEL = "default"
# of messages that somebody here replays: no webhook may speak for it, nor for the other of ours
REPLAY_CHANNEL = "replay"
# of what workflows ask an account
QUESTION_CHANNEL = "question"
OWN_CHANNELS = (REPLAY_CHANNEL, QUESTION_CHANNEL)
# Kakao's own keys have 70 characters at most; more is no key of Kakao's.
LONGEST_KEY = 200
LONGEST_UTTERANCE = 10_000
LONGEST_URL = 2_000

Skill = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """One message of a KakaoTalk user to the channel. `payload` is what Kakao sent, as it came."""

    channel_id: str
    user_key: str
    utterance: str
    lang: str
    callback_url: str | None
    event_id: str | None
    payload: dict[str, Any]

    @property
    def conversation_key(self) -> str:
        return f"{self.channel_id}:{self.user_key}"

    def without_callback(self) -> "SkillRequest":
        return replace(self, callback_url=None)

    @property
    def normalized(self) -> dict[str, str]:
        return {"userId": self.user_key, "text": self.utterance, "channelId": self.channel_id}


def read_request(payload: object) -> SkillRequest | None:
    """None where it does not say who speaks: nobody could be answered later. Every other part may be null or absent."""
    if not isinstance(payload, dict):
        return None
    asked = _part(payload, "userRequest")
    user = _part(asked, "user")
    properties = _part(user, "properties")
    keys = (properties.get("plusfriendUserKey"), properties.get("botUserKey"), user.get("id"))
    user_key = next((key for key in map(_text, keys) if key), "")
    channel_id = _text(_part(payload, "bot").get("id")) or DEFAULT_CHANNEL
    utterance = asked.get("utterance")
    if not user_key or len(user_key) > LONGEST_KEY or len(channel_id) > LONGEST_KEY or channel_id in OWN_CHANNELS:
        return None
    return SkillRequest(
        channel_id=channel_id,
        user_key=user_key,
        utterance=clean(utterance)[:LONGEST_UTTERANCE] if isinstance(utterance, str) else "",
        lang=read_lang(asked.get("lang")),
        callback_url=_url(asked.get("callbackUrl")),
        event_id=_text(asked.get("eventId"))[:LONGEST_KEY] or None,
        payload=clean_all(payload),
    )


def read_lang(said: object) -> str:
    """Korean unless it says otherwise."""
    return "ko" if (_text(said) or "ko").lower()[:2] in ("ko", "kr") else "en"


def make_replay(text: str, lang: str) -> SkillRequest:
    """The same words from nobody: without an address to answer to, and without a key of a user."""
    return _ask_by(REPLAY_CHANNEL, text, lang)


def make_question(text: str) -> SkillRequest:
    """What a workflow asks, as an instance reads it."""
    return _ask_by(QUESTION_CHANNEL, clean(text), "ko")


def _ask_by(channel: str, text: str, lang: str) -> SkillRequest:
    user = {"id": channel, "type": channel, "properties": {}}
    asked = {"utterance": text, "lang": lang, "user": user}
    payload = {"bot": {"id": channel, "name": channel}, "userRequest": asked}
    return SkillRequest(channel, channel, text, lang, None, None, payload)


def replay_key(account_id: UUID) -> str:
    return f"{REPLAY_CHANNEL}:{account_id}"


def question_key(account_id: UUID) -> str:
    return f"{QUESTION_CHANNEL}:{account_id}"


def is_question_key(conversation_key: str) -> bool:
    return conversation_key.startswith(f"{QUESTION_CHANNEL}:")


def is_replay_key(conversation_key: str) -> bool:
    return conversation_key.startswith(f"{REPLAY_CHANNEL}:")


def name_event(request: SkillRequest) -> str | None:
    """What a repeated request has in common with the first. Without an event id or a callback address, which is unique
    to each request, nothing tells a repetition from a user who says the same twice."""
    if request.event_id:
        return request.event_id
    return None if request.callback_url is None else digest_of(request, request.callback_url)


def digest_of(request: SkillRequest, more: str = "") -> str:
    asked = _part(request.payload, "userRequest")
    named = {
        "channelId": request.channel_id,
        "userId": _text(_part(asked, "user").get("id")) or request.user_key,
        "utterance": request.utterance,
        "timestamp": asked.get("timestamp"),
        "callbackUrl": more,
    }
    return hashlib.sha256(json.dumps(named, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def say(*texts: str) -> Skill:
    """A direct answer. Kakao refuses an answer without any output."""
    return answer_with([simple_text(text) for text in texts if text] or [simple_text(" ")])


def answer_with(outputs: list[Skill], quick_replies: list[Skill] | None = None) -> Skill:
    template: Skill = {"outputs": outputs}
    if quick_replies:
        template["quickReplies"] = quick_replies
    return {"version": VERSION, "template": template}


def promise(waiting_text: str) -> Skill:
    """The answer comes by the callback address. `data` feeds the waiting message of the channel's block."""
    return {"version": VERSION, "useCallback": True, **({"data": {"text": waiting_text}} if waiting_text else {})}


def simple_text(text: str) -> Skill:
    return {"simpleText": {"text": text}}


def _part(of: dict[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return clean(value).strip() if isinstance(value, str) else ""


def _url(value: object) -> str | None:
    found = _text(value)
    return found if 0 < len(found) <= LONGEST_URL else None


def clean_all(value: Any) -> Any:
    """No deeper than the body was allowed to be."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(name)): clean_all(one) for name, one in value.items()}
    return [clean_all(one) for one in value] if isinstance(value, list) else value


def clean(text: str) -> str:
    """What PostgreSQL cannot keep: it takes no NUL and no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
