"""What is measured about messages every quarter of a minute, and the rules that call somebody."""

from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from pabal.apps.messaging.actions.reports import success_rate
from pabal.apps.messaging.model.bots import BotServer
from pabal.apps.messaging.store import attention as store
from pabal.apps.messaging.store import bots, statistics
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import AlertRule, Level, Measure, Reading
from pabal.platform.alerts.model import Read
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Scope

AREA = "messaging"
EVERYTHING = Scope(None, None)
WITHIN = timedelta(hours=1)
DAY = timedelta(days=1)


async def read_success_rate(tx: Tx) -> float | None:
    """Of what ended in the last hour, be it one send; nothing to say about none, unless an alert is to end."""
    ended = await statistics.read_ended(tx, EVERYTHING, tx.now - WITHIN)
    if ended.processed:
        return success_rate(ended.sent, ended.processed)
    is_open = any(one.rule == SUCCESS_RATE.name for one in await alerts.list_open(tx, EVERYTHING))
    return 100.0 if is_open else None


async def read_processing_ms(tx: Tx) -> float | None:
    return (await statistics.read_ended(tx, EVERYTHING, tx.now - WITHIN)).average_ms


async def read_per_minute(tx: Tx) -> float:
    """Of the last sixty seconds."""
    return (await statistics.read_ended(tx, EVERYTHING, tx.now - timedelta(minutes=1))).processed


async def read_unsent(tx: Tx) -> float:
    return (await statistics.read_unsent(tx, EVERYTHING)).deliveries


async def read_unsent_delay(tx: Tx) -> float:
    return (await statistics.read_unsent(tx, EVERYTHING)).oldest_seconds


async def read_missed(tx: Tx) -> list[Reading]:
    """For each unit what was missed within the hour and nobody has dealt with."""
    missed = await store.count_missed(tx, tx.now - WITHIN)
    return await alerts.read_by_unit(tx, "messaging.missed", {one.unit_id: one.count for one in missed})


async def read_in_error(tx: Tx) -> list[Reading]:
    counts = {one.unit_id: one.count for one in await store.count_in_error(tx)}
    return await alerts.read_by_unit(tx, "messaging.schedules_in_error", counts)


async def read_bots_offline(tx: Tx) -> list[Reading]:
    """Sends that are due and wait for a bot nobody holds."""
    found = await store.list_waiting_bots(tx)
    readings = [Reading(one.count, one.name, one.unit_id) for one in found]
    return await alerts.and_ended(tx, "messaging.bots_offline", readings)


async def read_prevented(tx: Tx) -> float:
    return await store.count_prevented(tx, tx.now - DAY)


def _of_servers(name: str, value_of: Callable[[BotServer], float]) -> Read:
    """Of each server that is there; what is gone uses nothing, so that its alert ends."""

    async def read(tx: Tx) -> list[Reading]:
        readings = [Reading(value_of(one), one.address) for one in await bots.list_servers(tx)]
        return [one for one in await alerts.and_ended(tx, name, readings) if one.about]

    return read


SUCCESS_RATE = Measure("messaging.success_rate", ("Success rate of sends", "발송 성공률"), read_success_rate, "%")
PROCESSING = Measure(
    "messaging.processing_ms", ("Processing time of a send", "발송 처리 시간"), read_processing_ms, "ms"
)
MISSED = Measure("messaging.missed", ("Missed sends in an hour", "한 시간 동안 놓친 발송"), read_missed)
IN_ERROR = Measure("messaging.schedules_in_error", ("Schedules in error", "오류로 멈춘 스케줄"), read_in_error)
BOTS_OFFLINE = Measure(
    "messaging.bots_offline", ("Sends waiting for an absent bot", "없는 봇을 기다리는 발송"), read_bots_offline
)
UNSENT = Measure("messaging.unsent", ("Unsent sends", "아직 못 보낸 발송"), read_unsent)
UNSENT_DELAY = Measure(
    "messaging.unsent_delay", ("Delay of the oldest unsent", "못 보낸 발송의 지연"), read_unsent_delay, "s"
)
PER_MINUTE = Measure("messaging.per_minute", ("Sends worked off per minute", "분당 처리한 발송"), read_per_minute)
PREVENTED = Measure(
    "messaging.duplicates_prevented", ("Duplicates prevented in 24 h", "24시간 동안 막은 중복"), read_prevented
)
ACTIVE_BOTS = Measure(
    "messaging.active_bots",
    ("Bots of a server", "서버의 봇"),
    _of_servers("messaging.active_bots", lambda one: one.active_bots),
)
CONNECTIONS = Measure(
    "messaging.total_connections",
    ("Connections of a server", "서버의 연결"),
    _of_servers("messaging.total_connections", lambda one: one.total_connections),
)
MEMORY = Measure(
    "messaging.memory_mb",
    ("Memory of a bot server", "봇 서버 메모리"),
    _of_servers("messaging.memory_mb", lambda one: one.memory_mb),
    "MB",
)
CPU = Measure(
    "messaging.cpu_percent",
    ("CPU of a bot server", "봇 서버 CPU"),
    _of_servers("messaging.cpu_percent", lambda one: one.cpu_percent),
    "%",
)

MEASURES = (
    *(SUCCESS_RATE, PROCESSING, PER_MINUTE, UNSENT, UNSENT_DELAY, MISSED, IN_ERROR, BOTS_OFFLINE, PREVENTED),
    *(ACTIVE_BOTS, CONNECTIONS, MEMORY, CPU),
)


def _rule(
    measure: Measure,
    label: Pair,
    threshold: float,
    *,
    advice: Pair,
    href: str,
    beyond: Literal["above", "below"] = "above",
    held_for: timedelta = timedelta(minutes=1),
    level: Level = Level.ATTENTION,
) -> AlertRule:  # long: these are the rule's own fields
    return AlertRule(
        name=measure.name,
        label=label,
        measure=measure,
        beyond=beyond,
        threshold=threshold,
        held_for=held_for,
        level=level,
        advice=advice,
        area=AREA,
        href=href,
    )


RULES = (
    _rule(
        SUCCESS_RATE,
        ("Many sends fail", "발송 성공률 낮음"),
        90,
        beyond="below",
        level=Level.FAILURE,
        advice=(
            "Open the send logs: the reasons say what failed sends have in common.",
            "발송 로그를 열어 이유를 보세요. 실패한 발송에 무엇이 같은지 드러납니다.",
        ),
        href="/messages/deliveries?state=failed",
    ),
    _rule(
        PROCESSING,
        ("Sends take long", "발송 처리가 느림"),
        5000,
        advice=(
            "A bot may be slow, or messages have many images and waits. Compare bots in the send logs.",
            "봇이 느리거나 그림과 대기가 많은 메시지입니다. 발송 로그에서 봇끼리 견주어 보세요.",
        ),
        href="/messages/statistics",
    ),
    _rule(
        MISSED,
        ("Sends were missed", "놓친 발송"),
        0,
        held_for=timedelta(0),
        level=Level.FAILURE,
        advice=(
            "They were not sent in time. Send each now, or pass over it.",
            "제때 보내지 못했습니다. 하나씩 지금 보내거나 넘어가세요.",
        ),
        href="/messages/deliveries?state=missed",
    ),
    _rule(
        IN_ERROR,
        ("A schedule stopped after failures", "실패가 이어져 멈춘 스케줄"),
        0,
        held_for=timedelta(0),
        level=Level.FAILURE,
        advice=("Look why it failed, mend it, then switch it on again.", "실패한 이유를 보고 고친 다음 다시 켜세요."),
        href="/messages/schedules?state=error",
    ),
    _rule(
        BOTS_OFFLINE,
        ("Sends wait for an absent bot", "봇이 없어 기다리는 발송"),
        0,
        level=Level.FAILURE,
        advice=(
            "Look after the phone: power, network, and whether the bot app runs.",
            "전화기의 전원과 인터넷, 봇 앱이 켜져 있는지 보세요.",
        ),
        href="/messages/bots",
    ),
    _rule(
        UNSENT_DELAY,
        ("Sends are late", "발송이 밀림"),
        300,
        advice=(
            "Something due has waited for long. The send logs say for what: a bot, its turn, or a limit.",
            "보낼 시각이 한참 지난 발송이 있습니다. 발송 로그가 무엇을 기다리는지 알려 줍니다.",
        ),
        href="/messages/deliveries",
    ),
    _rule(
        MEMORY,
        ("A bot server uses much memory", "봇 서버 메모리 많음"),
        1024,
        advice=(
            "It takes no new bots. Start another server, or give it more memory.",
            "새 봇을 받지 않습니다. 서버를 하나 더 켜거나 메모리를 늘리세요.",
        ),
        href="/messages/bots",
    ),
    _rule(
        CPU,
        ("A bot server is busy", "봇 서버 CPU 높음"),
        80,
        advice=(
            "It takes no new bots. Start another server; bots spread by themselves.",
            "새 봇을 받지 않습니다. 서버를 하나 더 켜면 봇이 나뉘어 붙습니다.",
        ),
        href="/messages/bots",
    ),
)
