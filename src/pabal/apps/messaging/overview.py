"""Messages on the front page, in the menu and in the search: the day so far, and what waits for a person."""

from datetime import datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.reasons import explain_state, name_exclusion
from pabal.apps.messaging.store import attention, statistics
from pabal.apps.messaging.store.attention import Troubled
from pabal.base.database import Tx
from pabal.platform.language.pairs import Pair
from pabal.platform.overview import Card, FirstStep, Found, Need, Severity
from pabal.platform.tenants import Scope

ZONE = ZoneInfo("Asia/Seoul")
SINCE = timedelta(hours=24)
NOW = timedelta(minutes=15)
EACH = 5
MOST = 100
BARS = {"sent": "7", "partial": "m", "unknown": "m", "failed": "x", "missed": "m"}
FAMILIES: dict[str, tuple[Pair, str]] = {
    "schedule": (("Message schedule", "메시지 스케줄"), "/messages/schedules/{}"),
    "room": (("Room", "톡방"), "/messages/rooms/{}"),
    "bot": (("Bot", "봇"), "/messages/bots/{}"),
}
FIRST_STEP = FirstStep(
    text=(
        "Nothing can be sent yet: connect a phone. It shows up by itself, and once approved it finds its rooms.",
        "아직 보낼 수 있는 봇이 없습니다. 먼저 전화기를 연결하세요. 저절로 나타나고, 승인하면 톡방을 찾습니다.",
    ),
    action=("Connect a phone", "전화기 연결하기"),
    href="/messages/bots#all-bots",
    otherwise=("No phone at hand? A simulated one, in a terminal:", "전화기가 없으면 터미널에서 가상 봇을 켜 보세요:"),
    command="pabal sim bot",
)


async def card(tx: Tx, scope: Scope) -> Card | FirstStep | None:
    """What ended today, as the operators' zone has it."""
    if not await attention.has_anything(tx, scope):
        return await _first_step(tx, scope)
    midnight = datetime.combine(tx.now.astimezone(ZONE).date(), time(0), ZONE)
    ended = await statistics.read_ended(tx, scope, midnight)
    last = await attention.list_last_ends(tx, scope, midnight, most=20)
    bad = ended.processed - ended.sent
    look: Literal["good", "attn", "fail"] = "fail" if "failed" in last else "attn" if bad else "good"
    return Card(
        value=ended.sent,
        word=("sent", "보냄"),
        bars="".join(BARS.get(state, "-") for state in reversed(last)),
        look=look,
        trouble=(f"{bad} not sent", f"못 보냄 {bad}") if bad else ("", ""),
        next_at=await attention.find_next(tx, scope),
        href="/messages/deliveries",
    )


async def _first_step(tx: Tx, scope: Scope) -> FirstStep | None:
    """Only the whole house lets phones in."""
    return None if scope.units is not None or await attention.has_bots(tx) else FIRST_STEP


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    troubled = await attention.list_troubled(tx, scope, tx.now - SINCE, most=EACH)
    return [
        *(_of_delivery(one, tx.now) for one in troubled),
        *await _in_error(tx, scope),
        *await _devices(tx, scope),
        *await _excluded(tx, scope),
    ]


async def count_needs(tx: Tx, scope: Scope) -> int:
    """Sends that somebody may send on or pass over: the number beside the send logs."""
    return len(await attention.list_troubled(tx, scope, tx.now - SINCE, most=MOST))


async def count_bot_needs(tx: Tx, scope: Scope) -> int:
    """Devices that wait for a yes or a no."""
    return len(await attention.list_pending_devices(tx, scope, most=MOST))


async def count_room_needs(tx: Tx, scope: Scope) -> int:
    """Rooms nobody has claimed."""
    return await attention.count_unclaimed(tx, scope)


async def count_schedule_needs(tx: Tx, scope: Scope) -> int:
    return len(await attention.list_in_error(tx, scope, most=MOST))


async def find(tx: Tx, scope: Scope, text: str) -> list[Found]:
    return [
        Found(FAMILIES[one.family][0], one.title, one.note, FAMILIES[one.family][1].format(one.id))
        for one in await attention.find_things(tx, scope, text, most=EACH)
    ]


def link(about: str) -> str | None:
    """Where a person sees what this names."""
    kind, _, number = about.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    there = {
        "message_schedule": "/messages/schedules/{}",
        "delivery": "/messages/deliveries/{}",
        "room": "/messages/rooms/{}",
        "bot": "/messages/bots/{}",
        "message_template": "/messages/templates/{}",
    }.get(kind)
    return None if there is None else there.format(number)


def _of_delivery(one: Troubled, now: datetime) -> Need:
    reason = explain_state(one.state, one.reason, bot=one.bot_name)
    is_now = one.state == "missed" and now - one.scheduled_at < NOW
    severity: Severity = "missing" if is_now else "failure" if one.state == "failed" else "attention"
    return Need(
        family="delivery",
        state=one.state,
        title=(one.title, one.title),
        note=f"→ {one.room_name}",
        reason=reason,
        href=f"/messages/deliveries/{one.id}",
        action=("Send now…", "지금 보내기…") if one.state == "missed" else ("Look", "보기"),
        at=one.scheduled_at,
        severity=severity,
    )


async def _in_error(tx: Tx, scope: Scope) -> list[Need]:
    return [
        Need(
            family="message_schedule",
            state="error",
            title=(one.title, one.title),
            reason=_say_stopped(one.failures),
            href=f"/messages/schedules/{one.id}",
            action=("Look", "보기"),
            at=one.updated_at,
            severity="failure",
        )
        for one in await attention.list_in_error(tx, scope, most=EACH)
    ]


def _say_stopped(failures: int) -> Pair:
    if not failures:
        return "It failed and stopped.", "실패해 멈췄습니다."
    times = "once" if failures == 1 else f"{failures} times in a row"
    return f"It failed {times} and stopped.", f"{failures}번 이어서 실패해 멈췄습니다."


async def _devices(tx: Tx, scope: Scope) -> list[Need]:
    return [
        Need(
            family="bot_device",
            state="pending",
            title=(f"Device of bot {one.bot_name}", f"봇 ‘{one.bot_name}’의 기기"),
            note=f"#{one.id}",
            reason=_say_waiting(is_asking=one.is_asking),
            href=f"/messages/bots/{one.bot_id}",
            action=("Decide", "승인하기"),
            at=one.created_at,
        )
        for one in await attention.list_pending_devices(tx, scope, most=EACH)
    ]


def _say_waiting(*, is_asking: bool) -> Pair:
    if is_asking:
        return (
            "It calls from a new network. Until somebody approves that, it gets nothing there.",
            "새 네트워크에서 연결했습니다. 승인할 때까지 그곳에는 아무것도 보내지 않습니다.",
        )
    return (
        "It asks to be this bot. Until then it gets nothing.",
        "승인을 기다립니다. 그때까지는 아무것도 보내지 않습니다.",
    )


async def _excluded(tx: Tx, scope: Scope) -> list[Need]:
    return [
        Need(
            family="bot",
            state="excluded",
            title=(one.name, one.name),
            reason=name_exclusion(one.excluded_reason),
            href=f"/messages/bots/{one.id}",
            action=("Look", "보기"),
            at=one.excluded_at,
        )
        for one in await attention.list_excluded(tx, scope, most=EACH)
    ]
