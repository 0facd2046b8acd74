"""The skill protocol as Kakao has it: the payload of an utterance, which answers are valid, what they show. Pure."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

VERSION = "2.0"
MOST_OUTPUTS = 3
MOST_QUICK_REPLIES = 10
LONGEST_TEXT = 1000
LONGEST_LABEL = 14

Skill = Mapping[str, Any]


@dataclass(frozen=True)
class Utterance:
    """`user` is the plusfriendUserKey. Kakao itself sends no event id. `has_nulls`: null wherever Kakao may send it."""

    user: str
    text: str
    bot_id: str = "simbot"
    lang: str = "ko"
    callback_url: str | None = None
    event_id: str | None = None
    has_nulls: bool = False


def make_payload(utterance: Utterance) -> dict[str, Any]:
    """A SkillPayload with every field of the official guide."""
    block = {"id": f"{utterance.bot_id}-fallback", "name": "폴백 블록"}
    payload: dict[str, Any] = {
        "intent": {**block, "extra": {"reason": {"code": 1, "message": "OK"}}},
        "userRequest": _make_request(utterance, block),
        "contexts": [],
        "bot": {"id": utterance.bot_id, "name": "파발 모의 봇"},
        "action": {
            "id": f"{utterance.bot_id}-skill",
            "name": "파발 스킬",
            "params": {},
            "detailParams": {"sys_location": {"origin": "강남", "value": "강남", "groupName": ""}},
            "clientExtra": {},
        },
        "flow": {"trigger": {"type": "TEXT_INPUT", "referrerBlock": block}, "lastBlock": block},
    }
    if utterance.has_nulls:
        payload["intent"]["extra"] = payload["contexts"] = payload["flow"] = payload["bot"]["name"] = None
        payload["action"] |= {"params": None, "detailParams": None, "clientExtra": None}
    return payload


def name_bot_user(bot_id: str, user: str) -> str:
    """A user has another botUserKey at every bot."""
    return hashlib.sha256(f"{bot_id}:{user}".encode()).hexdigest()


def simple_text(*texts: str) -> dict[str, Any]:
    """A skill response with one simpleText for each."""
    return {"version": VERSION, "template": {"outputs": [{"simpleText": {"text": text}} for text in texts]}}


def find_answer_fault(answer: Any, *, has_callback: bool) -> str:
    """What is wrong with an answer to the webhook; empty: nothing."""
    if not (isinstance(answer, dict) and answer.get("useCallback") is True):
        return find_skill_fault(answer)
    if answer.get("version") != VERSION:
        return "version is not 2.0"
    if "template" in answer:
        return "useCallback and template exclude each other"
    return "" if has_callback else "useCallback, but there is no callback address"


def find_skill_fault(skill: Any) -> str:
    """What is wrong with a skill response that shows something; empty: nothing."""
    if not isinstance(skill, dict):
        return "not a JSON object"
    if skill.get("version") != VERSION:
        return "version is not 2.0"
    template = skill.get("template")
    outputs = template.get("outputs") if isinstance(template, dict) else None
    if not isinstance(template, dict) or not isinstance(outputs, list):
        return "no template.outputs"
    if not 1 <= len(outputs) <= MOST_OUTPUTS:
        return f"{len(outputs)} outputs"
    replies = template.get("quickReplies") or []
    if not isinstance(replies, list) or len(replies) > MOST_QUICK_REPLIES:
        return "more than 10 quickReplies"
    faults = (*map(_find_label_fault, replies), *map(_find_output_fault, outputs))
    return next((fault for fault in faults if fault), "")


def read_output(output: Any) -> tuple[str, str]:
    """Its kind, and what of it can be read."""
    [(kind, content)] = output.items()
    named = (content.get(name) for name in ("text", "title", "description", "altText", "imageUrl"))
    return str(kind), "\n".join(str(one) for one in named if one)


def _make_request(utterance: Utterance, block: dict[str, str]) -> dict[str, Any]:
    bot_user = name_bot_user(utterance.bot_id, utterance.user)
    properties: dict[str, Any] = {
        "botUserKey": bot_user,
        "plusfriendUserKey": utterance.user,
        "appUserId": str(int(bot_user[:8], 16)),
        "isFriend": True,
    }
    if utterance.has_nulls:
        # isFriend is there only when it is true
        properties = {"botUserKey": bot_user, "plusfriendUserKey": utterance.user, "appUserId": None}
    request = {
        "timezone": "Asia/Seoul",
        "lang": utterance.lang,
        "utterance": utterance.text,
        "params": None if utterance.has_nulls else {"surface": "Kakaotalk.plusfriend", "ignoreMe": "true"},
        "block": block,
        "user": {"id": bot_user, "type": "botUserKey", "properties": properties},
    }
    if utterance.callback_url is not None or utterance.has_nulls:
        request = {"callbackUrl": utterance.callback_url, **request}
    if utterance.event_id is not None:
        request["eventId"] = utterance.event_id
    return request


def _find_output_fault(output: Any) -> str:
    if not isinstance(output, dict) or len(output) != 1:
        return "an output holds one component"
    [(kind, content)] = output.items()
    check = _CHECKS.get(kind)
    if check is None or not isinstance(content, dict):
        return f"{str(kind)[:50]} is no component"
    buttons = content.get("buttons") or []
    if not isinstance(buttons, list) or len(buttons) > 3:
        return f"{kind}: more than 3 buttons"
    faults = (check(content), *map(_find_label_fault, buttons))
    return next((f"{kind}: {fault}" for fault in faults if fault), "")


def _find_label_fault(button: Any) -> str:
    label = button.get("label") if isinstance(button, dict) else None
    return "" if _is_text(label, LONGEST_LABEL) else "a label has 1 to 14 characters"


def _check_text(content: Skill) -> str:
    return "" if _is_text(content.get("text"), LONGEST_TEXT) else "a text has 1 to 1000 characters"


def _check_image(content: Skill) -> str:
    if not _is_text(content.get("imageUrl"), 2000):
        return "no imageUrl"
    return "" if len(str(content.get("altText") or "")) <= 50 else "altText has 50 characters at most"


def _check_text_card(content: Skill) -> str:
    title, description = str(content.get("title") or ""), str(content.get("description") or "")
    is_fine = len(title) <= 50 and 1 <= len(title) + len(description) <= 400
    return "" if is_fine else "title up to 50 characters, with the description 1 to 400"


def _check_basic_card(content: Skill) -> str:
    if not isinstance(content.get("thumbnail"), dict):
        return "no thumbnail"
    is_fine = len(str(content.get("title") or "")) <= 50 and len(str(content.get("description") or "")) <= 230
    return "" if is_fine else "title up to 50 characters, description up to 230"


def _check_commerce_card(content: Skill) -> str:
    is_fine = isinstance(content.get("price"), int) and _count(content.get("thumbnails")) == 1
    return "" if is_fine else "a price and one thumbnail"


def _check_list_card(content: Skill) -> str:
    header = content.get("header")
    is_fine = isinstance(header, dict) and bool(header.get("title")) and 1 <= _count(content.get("items")) <= 5
    return "" if is_fine else "a header with a title, and 1 to 5 items"


def _check_item_card(content: Skill) -> str:
    return "" if 1 <= _count(content.get("itemList")) <= 10 else "1 to 10 items"


def _check_carousel(content: Skill) -> str:
    kind, items = content.get("type"), content.get("items")
    if kind not in _IN_CAROUSEL:
        return f"no carousel of {str(kind)[:50]}"
    return "" if 1 <= _count(items) <= (5 if kind == "listCard" else 10) else "too few or too many items"


def _is_text(value: Any, longest: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= longest


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


_CHECKS: dict[str, Callable[[Skill], str]] = {
    "simpleText": _check_text,
    "simpleImage": _check_image,
    "textCard": _check_text_card,
    "basicCard": _check_basic_card,
    "commerceCard": _check_commerce_card,
    "listCard": _check_list_card,
    "itemCard": _check_item_card,
    "carousel": _check_carousel,
}
_IN_CAROUSEL = ("textCard", "basicCard", "commerceCard", "listCard", "itemCard")
