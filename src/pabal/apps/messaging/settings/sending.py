"""How it is sent, and what becomes of what could not be."""

from datetime import timedelta

from pabal.apps.messaging.settings.making import LOGS, SENDING, TIMES, choice, count, span
from pabal.platform.settings import Choice

IMAGE_GAP_MS = count(
    "image_gap_ms",
    500,
    ("Pause between images", "그림 사이 쉬는 시간"),
    (
        "Between the images of a group, not after the last.",
        "한 묶음의 그림 사이에 쉽니다. 마지막 그림 뒤에는 쉬지 않습니다.",
    ),
    most=60_000,
    unit=("ms", "ms"),
    group=SENDING,
    seed="0.5초",
    requirement="A-140",
)
LANE = choice(
    "lane",
    (Choice("bot", ("bot", "봇")), Choice("room", ("room", "톡방"))),
    ("One at a time per", "차례를 지키는 단위"),
    (
        "A bot is one phone, so its sends go one after the other; per room lets a bot mix rooms.",
        "봇은 전화기 한 대라 차례로 보냅니다. 톡방 단위로 하면 한 봇이 여러 톡방을 섞어 보냅니다.",
    ),
    group=SENDING,
    requirement="A-136",
)
UNKNOWN_PARTS = choice(
    "unknown_parts",
    (Choice("leave", ("leave it to a person", "사람이 정하기")), Choice("resend", ("send it again", "다시 보내기"))),
    ("A part cut in the middle", "보내다 끊긴 부분"),
    (
        "Nobody can know whether it arrived. Left: it is marked and a person decides. "
        "Sent again: it may arrive twice, and is marked.",
        "도착했는지 알 수 없습니다. 그대로 두면 표시하고 사람이 정합니다. "
        "다시 보내면 두 번 갈 수 있고, 그렇게 표시합니다.",
    ),
    group=SENDING,
    requirement="A-129",
)
CATCHUP_WINDOW = span(
    "catchup_window",
    timedelta(seconds=300),
    ("Catch-up window", "따라잡기 시간"),
    (
        "What is later than this and was never begun is missed.",
        "이보다 늦었고 시작하지도 못한 발송은 놓친 것으로 적습니다.",
    ),
    most=timedelta(days=1),
    seed="300초",
    requirement="A-128",
    group=SENDING,
)
RETRIES = count(
    "retries",
    3,
    ("Retries", "재시도"),
    ("How often a send that failed is tried again.", "실패한 발송을 다시 시도하는 횟수입니다."),
    most=4,
    unit=TIMES,
    group=SENDING,
    seed="최대 3회",
    requirement="A-193",
)
RETRY_AFTER = span(
    "retry_after",
    timedelta(seconds=30),
    ("Wait before the first retry", "첫 재시도까지"),
    ("Doubles with each retry.", "다시 시도할 때마다 두 배로 늘어납니다."),
    most=timedelta(hours=1),
    requirement="A-195",
    group=SENDING,
)
RETRY_HORIZON = span(
    "retry_horizon",
    timedelta(hours=24),
    ("Longest time for retries", "재시도 기한"),
    ("A send that began and failed is tried again until then.", "시작했다가 실패한 발송은 이때까지 다시 시도합니다."),
    seed="24시간",
    requirement="A-192",
    group=SENDING,
)
SEND_DEADLINE = span(
    "send_deadline",
    timedelta(seconds=300),
    ("Longest time of one send", "한 발송의 최대 시간"),
    (
        "One attempt takes no longer, without its own waits.",
        "한 번의 시도는 정해 둔 대기를 빼고 이보다 오래 걸리지 않습니다.",
    ),
    most=timedelta(hours=1),
    seed="300초",
    requirement="A-135",
    group=SENDING,
)
ERROR_AFTER = count(
    "error_after",
    3,
    ("Failures that stop a schedule", "스케줄을 멈추는 연속 실패"),
    (
        "After so many failed sends in a row a schedule stops and asks for a person.",
        "이만큼 이어서 실패하면 스케줄을 멈추고 사람을 부릅니다.",
    ),
    least=1,
    most=100,
    unit=TIMES,
    group=SENDING,
    requirement="A-55",
)
KEEP_LOGS = span(
    "keep_logs",
    timedelta(days=400),
    ("How long logs are kept", "로그 보관 기간"),
    (
        "Older deliveries are deleted once their month is archived.",
        "보관 파일로 옮긴 뒤 이보다 오래된 발송 로그를 지웁니다.",
    ),
    least=timedelta(days=32),
    most=timedelta(days=4000),
    group=LOGS,
    requirement="A-177",
)
