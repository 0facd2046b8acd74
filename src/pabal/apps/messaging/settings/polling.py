"""How the scheduler paces itself."""

from datetime import timedelta

from pabal.apps.messaging.model.polling import parse_ranges
from pabal.apps.messaging.settings.making import POLLING, count, hours, span

POLL_BASE = span(
    "poll_base",
    timedelta(seconds=60),
    ("Poll interval", "폴링 간격"),
    (
        "How long the scheduler sleeps when nothing wakes it. It wakes by itself at the next moment due.",
        "깨우는 것이 없을 때 스케줄러가 쉬는 시간입니다. 다음 발송 시각에는 스스로 깹니다.",
    ),
    most=timedelta(minutes=10),
    group=POLLING,
    seed="60초",
    requirement="A-31",
)
POLL_BUSY = span(
    "poll_busy",
    timedelta(seconds=30),
    ("Poll interval in busy hours", "바쁜 시간대 폴링 간격"),
    ("Within the busy hours below.", "아래의 바쁜 시간대에 씁니다."),
    most=timedelta(minutes=10),
    group=POLLING,
    seed="30초",
    requirement="A-188",
)
POLL_IDLE = span(
    "poll_idle",
    timedelta(seconds=120),
    ("Poll interval in quiet hours", "한가한 시간대 폴링 간격"),
    ("Within the quiet hours below.", "아래의 한가한 시간대에 씁니다."),
    most=timedelta(minutes=10),
    group=POLLING,
    seed="120초",
    requirement="A-188",
)
BUSY_HOURS = hours(
    "busy_hours",
    "09:00-12:59,18:00-21:59",
    ("Busy hours", "바쁜 시간대"),
    parse_ranges,
    group=POLLING,
    requirement="A-189",
)
IDLE_HOURS = hours(
    "idle_hours", "00:00-06:59", ("Quiet hours", "한가한 시간대"), parse_ranges, group=POLLING, requirement="A-189"
)
CLAIM_BATCH_SIZE = count(
    "claim_batch_size",
    10,
    ("Sends taken at once", "한 번에 가져오는 발송"),
    ("Most sends one server takes in one claim.", "서버가 한 번에 가져오는 발송의 최대 수입니다."),
    least=1,
    most=500,
    group=POLLING,
    seed="LIMIT 10",
    requirement="A-121",
)
POLL_MAX = count(
    "poll_max",
    100,
    ("Schedules per tick", "한 번에 처리하는 스케줄"),
    (
        "Most due schedules one tick decides; it goes on at once while more are due.",
        "한 번에 처리하는 스케줄의 최대 수입니다. 남아 있으면 바로 이어서 처리합니다.",
    ),
    least=1,
    most=1000,
    group=POLLING,
    seed="LIMIT 100",
    requirement="A-133",
)
