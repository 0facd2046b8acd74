"""When a bot counts as connected, and how many a server takes."""

from datetime import timedelta

from pabal.apps.messaging.model.polling import parse_ranges
from pabal.apps.messaging.settings.messages import BOTS, POLLING, TIMES, count, hours, span
from pabal.platform.settings import Setting

PING_TIMEOUT = span(
    "ping_timeout",
    timedelta(seconds=60),
    ("Ping timeout", "핑 제한 시간"),
    (
        "A bot silent for longer counts as not connected. The same on every server.",
        "이보다 오래 신호가 없으면 연결되지 않은 것으로 봅니다. 모든 서버가 같습니다.",
    ),
    least=timedelta(seconds=10),
    most=timedelta(minutes=30),
    group=BOTS,
    seed="60초",
    requirement="A-32",
)
EXCLUDE_AFTER = count(
    "exclude_after",
    5,
    ("Failures that exclude a bot", "봇을 제외하는 연속 실패"),
    (
        "After so many failed sends in a row a bot gets nothing for a while.",
        "이만큼 이어서 실패한 봇에는 잠시 아무것도 보내지 않습니다.",
    ),
    least=1,
    most=100,
    unit=TIMES,
    group=BOTS,
    requirement="A-196",
)
EXCLUDE_FOR = span(
    "exclude_for",
    timedelta(minutes=10),
    ("How long a failing bot is excluded", "실패한 봇을 제외하는 시간"),
    ("Then it is tried again.", "이 시간이 지나면 다시 써 봅니다."),
    most=timedelta(days=7),
    group=BOTS,
    requirement="A-196",
)
MAX_BOTS = count(
    "max_bots",
    100,
    ("Bots on one server", "서버 한 대의 봇"),
    (
        "Approved ones count. More are refused; another server may take them.",
        "승인된 봇만 셉니다. 더 오면 거절합니다. 다른 서버가 받을 수 있습니다.",
    ),
    least=1,
    group=BOTS,
    seed="100",
    requirement="A-203",
)
MAX_MEMORY_MB = count(
    "max_memory_mb",
    1024,
    ("Memory that refuses bots", "봇을 거절하는 메모리"),
    ("A server that uses more takes no new bots.", "이보다 많이 쓰는 서버는 새 봇을 받지 않습니다."),
    least=64,
    most=1_000_000,
    unit=("MB", "MB"),
    group=BOTS,
    seed="1024MB",
    requirement="A-203",
)
MAX_CPU_PERCENT = count(
    "max_cpu_percent",
    80,
    ("CPU that refuses bots", "봇을 거절하는 CPU"),
    (
        "This process over 30 seconds. A server that uses more takes no new bots.",
        "이 프로세스의 30초 평균입니다. 이보다 많이 쓰는 서버는 새 봇을 받지 않습니다.",
    ),
    least=1,
    most=10_000,
    unit=("%", "%"),
    group=BOTS,
    seed="80%",
    requirement="A-203",
)
MAX_STRANGERS = count(
    "max_strangers",
    400,
    ("Unapproved connections on one server", "서버 한 대의 미승인 연결"),
    (
        "Connections that have not said who they are, or whose device waits for approval. "
        "One more closes the oldest; approved bots do not count.",
        "누구인지 밝히지 않았거나 승인을 기다리는 연결입니다. 더 오면 가장 오래된 것을 닫습니다. "
        "승인된 봇은 세지 않습니다.",
    ),
    least=10,
    most=10_000,
    group=BOTS,
)
MAX_STRANGERS_PER_ADDRESS = count(
    "max_strangers_per_address",
    200,
    ("Unapproved connections of one address", "한 주소의 미승인 연결"),
    (
        "Phones of one shop share an address, and all of them call at once after a restart: "
        "not fewer than you have phones in one place.",
        "한 매장의 전화기는 주소가 같고, 재시작 뒤에는 한꺼번에 연결합니다. "
        "한곳에 둔 전화기 수보다 작지 않게 정하세요.",
    ),
    least=5,
    most=10_000,
    group=BOTS,
)
ASK_AT_NEW_ADDRESS = Setting(
    key="messaging.ask_at_new_address",
    default=True,
    label=("Ask when a device calls from a new network", "새 네트워크에서 온 기기는 다시 승인"),
    help=(
        "For bots without a secret: an approved device that calls from a network nobody approved it for waits for "
        "approval there. Each network is asked about once.",
        "비밀 값이 없는 봇만 해당합니다. 승인된 기기라도 처음 보는 네트워크에서 연결하면 승인을 기다립니다. "
        "네트워크마다 한 번만 묻습니다.",
    ),
    group=BOTS,
)


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
