"""When a bot counts as connected, and how many a server takes."""

from datetime import timedelta

from pabal.apps.messaging.settings.making import BOTS, TIMES, count, span

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
    ("More are refused; another server may take them.", "더 오면 거절합니다. 다른 서버가 받을 수 있습니다."),
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
