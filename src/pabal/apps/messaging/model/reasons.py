"""Why a delivery is where it is, in words: from its state, its place and the code of its reason. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, TEXT
from pabal.apps.messaging.model.deliveries import Delivery, PartState, Tally, tally
from pabal.platform.language.pairs import Pair

COMPONENTS: dict[str, Pair] = {TEXT: ("text", "글"), IMAGES_1: ("images 1", "그림 1"), IMAGES_2: ("images 2", "그림 2")}
LIMITS: dict[str, Pair] = {
    "min_gap_seconds": ("least gap between sends", "발송 사이 최소 간격"),
    "dispatches_per_day": ("sends in 24 hours", "24시간 발송 횟수"),
    "messages_per_minute": ("messages in a minute", "1분 메시지"),
    "messages_per_hour": ("messages in an hour", "1시간 메시지"),
    "messages_per_day": ("messages in 24 hours", "24시간 메시지"),
    "max_text_length": ("length of a text", "글의 길이"),
}
# what a send waits for although no number binds
HOLDS: dict[str, Pair] = {"room_name_shared": ("room name shared with another room", "다른 톡방과 같은 이름")}
REASONS: dict[str, Pair] = {
    "room_name_shared": (
        "Bot ‘{bot}’ has the same name for another unit's room, and finds a room by its name: it could arrive there.",
        "봇 ‘{bot}’에 같은 이름의 다른 조직 톡방이 있습니다. 봇은 이름으로 톡방을 찾아서 그 톡방에 갈 수 있었습니다.",
    ),
    "bot_offline": ("Bot ‘{bot}’ was not connected.", "봇 ‘{bot}’이(가) 연결되어 있지 않았습니다."),
    "wrong_secret": (
        "The phone of bot ‘{bot}’ was connected, but did not sign with its secret.",
        "봇 ‘{bot}’의 전화기가 연결되어 있었지만 비밀값이 맞지 않았습니다.",
    ),
    "bot_excluded": ("Bot ‘{bot}’ was excluded after failures.", "봇 ‘{bot}’은(는) 실패가 이어져 제외되어 있었습니다."),
    "lane_busy": ("Bot ‘{bot}’ was busy with other sends.", "봇 ‘{bot}’이(가) 다른 발송으로 바빴습니다."),
    "bulk_window": (
        "The time for all rooms was over before its turn came.",
        "차례가 오기 전에 전체 발송 시간이 끝났습니다.",
    ),
    "too_late": ("It was too late to begin.", "시작하기에는 너무 늦었습니다."),
    "limit_too_small": (
        "This message has more parts than the room's limit ever allows.",
        "이 메시지는 톡방 제한보다 많은 부분으로 되어 있어 보낼 수 없습니다.",
    ),
    "room_not_allowed": ("The schedule may not send to this room any more.", "이제 이 톡방에 보낼 권한이 없습니다."),
    "bot_not_in_room": ("Bot ‘{bot}’ is not in this room any more.", "봇 ‘{bot}’이(가) 이 톡방에 없습니다."),
    "bot_error": ("Bot ‘{bot}’ could not take it.", "봇 ‘{bot}’이(가) 받지 못했습니다."),
    "bot_gone": ("Bot ‘{bot}’ left while it was sent.", "보내는 중에 봇 ‘{bot}’의 연결이 끊겼습니다."),
    "no_receipt": (
        "The phone of bot ‘{bot}’ did not confirm a part in time, and its connection was closed.",
        "봇 ‘{bot}’의 전화기가 처리했다고 제때 답하지 않아 연결을 닫았습니다.",
    ),
    "deadline": ("It took longer than a send may take.", "한 발송에 허용된 시간을 넘겼습니다."),
    "misfired": ("No server ran at its moment.", "보낼 시각에 켜진 서버가 없었습니다."),
    "file_missing": ("An image is not in the file store any more.", "그림 파일이 저장소에 없습니다."),
    "store_failed": ("An image could not be read from the file store.", "저장소에서 그림을 읽지 못했습니다."),
    "server_died": (
        "It ended servers more than once and was set aside.",
        "서버를 여러 번 멈추게 해서 따로 두었습니다.",
    ),
    "error": (
        "Something unexpected happened; the job's page has the details.",
        "뜻밖의 일이 생겼습니다. 자세한 내용은 작업 화면에 있습니다.",
    ),
    "paused": ("The schedule was paused before it began.", "시작하기 전에 스케줄을 멈췄습니다."),
    "cancelled": ("It was withdrawn before it began.", "시작하기 전에 거두었습니다."),
}
EXCLUSIONS: dict[str, Pair] = {
    "failed_in_a_row": ("It failed too often in a row.", "실패가 이어져 자동으로 제외했습니다.")
}
_STATES: dict[str, Pair] = {
    "missed": ("It was not sent in time.", "제때 보내지 못했습니다."),
    "partial": ("Only a part of it was sent.", "일부만 보냈습니다."),
    "failed": ("It could not be sent.", "보내지 못했습니다."),
    "unknown": ("Of a part nobody knows whether it arrived.", "한 부분이 도착했는지 알 수 없습니다."),
}
_PLACES: dict[str, Pair] = {
    "waiting_for_bot": (
        "Bot ‘{bot}’ is not connected. It goes out when the bot is back.",
        "봇 ‘{bot}’이(가) 연결되어 있지 않습니다. 돌아오면 보냅니다.",
    ),
    "wrong_secret": (
        "The phone of bot ‘{bot}’ is connected, but does not sign with its secret. "
        "Put the same secret and salt into its script, or set them anew on the bot's page.",
        "봇 ‘{bot}’의 전화기가 연결되어 있지만 비밀값이 맞지 않습니다. "
        "스크립트에 같은 비밀값과 솔트를 넣거나 봇 화면에서 다시 정하세요.",
    ),
    "queued": (
        "It waits for its turn: bot ‘{bot}’ sends one after the other.",
        "차례를 기다립니다. 봇 ‘{bot}’은(는) 하나씩 보냅니다.",
    ),
    "deferred": ("Put off until {until}: {limit}.", "{limit} 제한으로 {until}에 보냅니다."),
    "held": (
        "Held: bot ‘{bot}’ has the same name for another unit's room and could send it there. "
        "Rename one of the chats in KakaoTalk, or let the head office take the bot out of one.",
        "보내지 않고 있습니다. 봇 ‘{bot}’에 같은 이름의 다른 조직 톡방이 있어 그쪽으로 갈 수 있습니다. "
        "카카오톡에서 한쪽 이름을 바꾸거나, 본사에서 한쪽 톡방의 봇을 빼야 합니다.",
    ),
    "retrying": (
        "Attempt {attempts} did not go through. It is tried again.",
        "{attempts}번째 시도가 실패해 다시 시도합니다.",
    ),
    "sending": ("{done} of {all} parts are out.", "{all}개 중 {done}개를 보냈습니다."),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A pair and what stands in its braces: moments in the reader's zone, pairs in the reader's language."""

    pair: Pair
    values: dict[str, Any] = field(default_factory=dict)


def explain_state(state: str, reason: str | None, *, bot: str) -> Pair:
    """Short: for lists of what waits for a person."""
    english, korean = REASONS.get(reason or "", _STATES.get(state, ("", "")))
    return english.replace("{bot}", bot), korean.replace("{bot}", bot)


def explain(delivery: Delivery) -> list[Sentence]:
    """Why it is as it is, and what follows. Nothing to say of one that went out as it should."""
    if delivery.state == "open":
        return [_explain_place(delivery)]
    if delivery.state == "sent":
        return [_CAUGHT_UP] if delivery.is_catch_up else []
    said = _explain_reason(delivery)
    if delivery.state in ("partial", "failed", "unknown") and delivery.parts:
        said += _explain_parts(delivery)
    return said or [Sentence(_STATES[delivery.state])]


def name_limit(deferred_by: str | None) -> Pair:
    """The limit's own words; one that is not known here shows its name."""
    for name, words in (*LIMITS.items(), *HOLDS.items()):
        if deferred_by is not None and name in deferred_by:
            return words
    return (deferred_by or "", deferred_by or "")


def explain_unproven(bot: str) -> Pair:
    """Why nothing goes out although its phone is connected."""
    english, korean = _PLACES["wrong_secret"]
    return english.replace("{bot}", bot), korean.replace("{bot}", bot)


def name_exclusion(reason: str) -> Pair:
    """What a person said stands as it is."""
    return EXCLUSIONS.get(reason, (reason, reason))


def name_reason(code: str, *, bot: str = "") -> Pair:
    """For tables: without the name of a bot it speaks of any."""
    english, korean = REASONS.get(code, name_limit(code) if code else ("no reason given", "이유 없음"))
    if bot:
        return english.replace("{bot}", bot), korean.replace("{bot}", bot)
    korean = korean.replace("봇 ‘{bot}’이(가)", "봇이").replace("봇 ‘{bot}’은(는)", "봇은").replace(" ‘{bot}’", "")
    return english.replace("Bot ‘{bot}’", "The bot").replace("bot ‘{bot}’", "the bot"), korean


def _explain_place(delivery: Delivery) -> Sentence:
    place = delivery.place or "queued"
    tallies = tally(delivery.parts)
    values = {
        "bot": delivery.bot_name,
        "limit": name_limit(delivery.deferred_by),
        "until": delivery.deferred_until,
        "attempts": delivery.attempts,
        "done": sum(one.written for one in tallies),
        "all": sum(one.total for one in tallies),
    }
    return Sentence(_PLACES.get(place, _PLACES["queued"]), values)


def _explain_reason(delivery: Delivery) -> list[Sentence]:
    if not delivery.reason:
        return []
    said = [Sentence(REASONS.get(delivery.reason, _said_by_bot(delivery)), {"bot": delivery.bot_name})]
    # a limit that put it off before somebody paused it is not why it ended
    if delivery.state == "missed" and delivery.reason == delivery.deferred_by and delivery.deferred_by not in HOLDS:
        said = [Sentence(_LIMITED, {"limit": name_limit(delivery.deferred_by)})]
    last_ping = _read_moment(delivery.detail.get("last_ping_at"))
    if last_ping is not None:
        said.append(Sentence(("Last signal {at}.", "마지막 신호 {at}."), {"at": last_ping}))
    count = delivery.detail.get("count")
    if isinstance(count, int) and count > 1:
        said.append(Sentence(("{n} moments were missed.", "이어진 {n}번을 놓쳤습니다."), {"n": count}))
    return said


def _said_by_bot(delivery: Delivery) -> Pair:
    """A reason that has no sentence shows itself, and what came with it."""
    more = delivery.detail.get("error") or delivery.detail.get("message") or ""
    text = f"{delivery.reason}: {more}" if more else str(delivery.reason)
    # what others wrote may hold braces
    plain = text.replace("{", "(").replace("}", ")")
    return plain, plain


def _explain_parts(delivery: Delivery) -> list[Sentence]:
    """What is out, and where it stopped: "send the rest" begins there."""
    tallies = tally(delivery.parts)
    out = [one for one in tallies if one.written]
    stopped = next((part for part in delivery.parts if not part.is_out), None)
    said = []
    if out:
        said.append(Sentence(("Sent: {what}.", "보낸 것: {what}."), {"what": _list_out(out)}))
    if stopped is not None:
        what = COMPONENTS[stopped.component]
        pair = _UNKNOWN if stopped.state is PartState.UNKNOWN else _STOPPED
        is_image = stopped.component != TEXT
        values = {"what": what, "nth": stopped.from_image + 1 if is_image else 1}
        said.append(Sentence(pair if is_image else _TEXTS[pair], values))
        if stopped.is_cut:
            said.append(_HALF)
    return said


def _list_out(tallies: Sequence[Tally]) -> Pair:
    def show(one: Tally, index: int) -> str:
        name = COMPONENTS[one.component][index]
        return name if one.component == TEXT else f"{name} {one.written}/{one.total}"

    return ", ".join(show(one, 0) for one in tallies), ", ".join(show(one, 1) for one in tallies)


def _read_moment(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


_CAUGHT_UP = Sentence(("Sent late, as a catch-up.", "늦었지만 따라잡아 보냈습니다."))
_LIMITED: Pair = (
    "The room's limit let nothing through in time: {limit}.",
    "톡방 제한 때문에 제때 보내지 못했습니다: {limit}.",
)
_STOPPED: Pair = ("It stopped at picture {nth} of {what}.", "{what}의 {nth}번째 장에서 멈췄습니다.")
_UNKNOWN: Pair = (
    "Nobody knows whether picture {nth} of {what} arrived.",
    "{what}의 {nth}번째 장이 도착했는지 알 수 없습니다.",
)
_HALF = Sentence(
    ("It was cut off while it was written: half of it may have appeared.", "보내다 끊겨 반만 올라갔을 수 있습니다.")
)
_TEXTS: dict[Pair, Pair] = {
    _STOPPED: ("It stopped at the text.", "글에서 멈췄습니다."),
    _UNKNOWN: ("Nobody knows whether the text arrived.", "글이 도착했는지 알 수 없습니다."),
}
