"""How messages are sent and written, and what becomes of what could not be sent. How a setting is made comes first."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Choice, Setting

SENDING: Pair = ("Messages: sending", "메시지: 발송")
LIMITS: Pair = ("Messages: limits per room", "메시지: 톡방별 제한")
FORM: Pair = ("Messages: what may be written", "메시지: 작성 한도")
BOTS: Pair = ("Messages: bots", "메시지: 봇")
POLLING: Pair = ("Messages: polling", "메시지: 폴링")
LOGS: Pair = ("Messages: logs and reports", "메시지: 로그와 보고서")
SECONDS: Pair = ("s", "초")
TIMES: Pair = ("", "회")


def count(key: str, default: int, label: Pair, help: Pair, **more: Any) -> Setting[int]:
    return Setting(
        key=f"messaging.{key}", default=default, label=label, help=help, **{"least": 0, "most": 100_000, **more}
    )


def span(key: str, default: timedelta, label: Pair, help: Pair, **more: Any) -> Setting[timedelta]:
    options = {"least": timedelta(seconds=1), "most": timedelta(days=31), **more}
    return Setting(key=f"messaging.{key}", default=default, label=label, help=help, **options)


def choice(key: str, choices: tuple[Choice, ...], label: Pair, help: Pair, **more: Any) -> Setting[str]:
    """The first choice is the default."""
    return Setting(key=f"messaging.{key}", default=choices[0].value, label=label, help=help, choices=choices, **more)


def hours(key: str, default: str, label: Pair, check: Callable[[str], object], **more: Any) -> Setting[str]:
    help = (
        "Ranges of hours and minutes, both ends included, separated by commas.",
        "시:분-시:분을 쉼표로 나누어 적습니다. 양 끝을 포함합니다.",
    )
    return Setting(key=f"messaging.{key}", default=default, label=label, help=help, check=check, **more)


def or_off(english: str, korean: str) -> Pair:
    return (
        f"{english} 0 switches it off. A room may have its own.",
        f"{korean} 0이면 끕니다. 톡방마다 따로 정할 수 있습니다.",
    )


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
TELL_TROUBLES = choice(
    "tell_troubles",
    (
        Choice("gathered", ("gathered", "모아서")),
        Choice("at_once", ("each at once", "하나씩 바로")),
        Choice("off", ("off", "끄기")),
    ),
    ("Notices of sends that went wrong", "발송 문제 알림"),
    (
        "Failed, cut, missed and unknown sends are told to the unit. "
        "Gathered: one notice an hour, which counts the others.",
        "실패, 일부 발송, 놓침, 확인 필요를 그 조직에 알립니다. "
        "모아서는 한 시간에 한 번 알리고 나머지는 건수로 셉니다.",
    ),
    group=SENDING,
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
TAKEOVER_AFTER = span(
    "takeover_after",
    timedelta(seconds=60),
    ("Another bot takes over after", "다른 봇이 대신 보내기까지"),
    (
        "A send that waits this long for a bot that is away goes to the next connected bot in the room's order. "
        "Rooms without an order are left as they are; 0 switches it off.",
        "연결이 끊긴 봇을 이만큼 기다린 발송은 톡방에 정한 봇 순서에서 연결된 다음 봇이 보냅니다. "
        "순서를 정하지 않은 톡방은 그대로 두고, 0이면 끕니다.",
    ),
    least=timedelta(0),
    most=timedelta(hours=1),
    group=SENDING,
)
ASK_MISSED_FOR = span(
    "ask_missed_for",
    timedelta(hours=24),
    ("Ask about a missed message for", "놓친 메시지를 묻는 기간"),
    (
        "So long somebody may say “send it now” in the inbox; after that it stays missed and nobody is asked.",
        "이 기간 안에 승인함에서 ‘지금 보내기’를 고를 수 있습니다. 지나면 놓친 채로 두고 더 묻지 않습니다.",
    ),
    least=timedelta(minutes=1),
    most=timedelta(days=14),
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


MIN_GAP_SECONDS = count(
    "min_gap_seconds",
    30,
    ("Least gap between sends to a room", "같은 톡방 발송 최소 간격"),
    or_off(
        "Two sends to the same room begin at least this far apart.",
        "같은 톡방에 보내는 두 발송의 시작이 이만큼 떨어집니다.",
    ),
    unit=SECONDS,
    most=86_400,
    seed="최소 30초 간격",
    requirement="A-156",
    group=LIMITS,
)
DISPATCHES_PER_DAY = count(
    "dispatches_per_day",
    50,
    ("Sends to a room in 24 hours", "톡방별 24시간 발송"),
    or_off("One send is one occurrence, whatever it holds.", "한 번의 발송은 내용과 상관없이 1회로 셉니다."),
    unit=TIMES,
    seed="하루 최대 50회",
    requirement="A-157",
    group=LIMITS,
)
MESSAGES_PER_MINUTE = count(
    "messages_per_minute",
    5,
    ("Messages to a room in a minute", "톡방별 1분 메시지"),
    or_off("A text, and each image group, is one message.", "글과 그림 묶음을 각각 1건으로 셉니다."),
    seed="분당 5개",
    requirement="A-159",
    group=LIMITS,
)
MESSAGES_PER_HOUR = count(
    "messages_per_hour",
    50,
    ("Messages to a room in an hour", "톡방별 1시간 메시지"),
    or_off("A text, and each image group, is one message.", "글과 그림 묶음을 각각 1건으로 셉니다."),
    seed="시간당 50개",
    requirement="A-160",
    group=LIMITS,
)
MESSAGES_PER_DAY = count(
    "messages_per_day",
    200,
    ("Messages to a room in 24 hours", "톡방별 24시간 메시지"),
    or_off("A text, and each image group, is one message.", "글과 그림 묶음을 각각 1건으로 셉니다."),
    seed="일일 200개",
    requirement="A-161",
    group=LIMITS,
)


MAX_TEXT_LENGTH = count(
    "max_text_length",
    1000,
    ("Longest text", "글의 최대 길이"),
    (
        "Longer texts are refused. A room may have its own.",
        "이보다 긴 글은 저장하지 않습니다. 톡방마다 따로 정할 수 있습니다.",
    ),
    least=1,
    most=65_000,
    group=FORM,
    requirement="A-158",
)
WARN_TEXT_LENGTH = count(
    "warn_text_length",
    400,
    ("Length that warns", "길다고 알리는 길이"),
    ("From here on the form warns that the text is long.", "글이 이보다 길면 작성 화면이 알려 줍니다."),
    least=1,
    most=65_000,
    group=FORM,
    requirement="A-158",
)
SAME_TEXT_DAYS = count(
    "same_text_days",
    7,
    ("Days in which the same text warns", "같은 글을 알리는 기간"),
    (
        "Saving warns when the room gets the same text within so many days. 0 switches it off.",
        "같은 톡방에 같은 글이 이 기간 안에 있으면 저장할 때 알립니다. 0이면 끕니다.",
    ),
    most=365,
    unit=("days", "일"),
    group=FORM,
    requirement="A-04",
)
FOLD_LENGTH = count(
    "fold_length",
    500,
    ("Length that KakaoTalk folds", "카카오톡이 접는 길이"),
    ("The preview folds longer texts, as the app does (about).", "미리보기에서 이보다 긴 글을 접어 보여 줍니다(어림)."),
    least=50,
    most=10_000,
    group=FORM,
)
MAX_IMAGES_PER_GROUP = count(
    "max_images_per_group",
    10,
    ("Images in a group", "한 묶음의 그림 수"),
    ("Most images in one group.", "그림 묶음 하나에 넣을 수 있는 장수입니다."),
    least=1,
    most=30,
    group=FORM,
    seed="최대 10개",
    requirement="A-82",
)
MAX_IMAGES = count(
    "max_images",
    20,
    ("Images in a message", "한 메시지의 그림 수"),
    ("Most images in both groups together.", "두 묶음을 합쳐 넣을 수 있는 장수입니다."),
    least=1,
    most=60,
    group=FORM,
    requirement="A-82",
)
MAX_IMAGE_BYTES = count(
    "max_image_mb",
    10,
    ("Size of an image", "그림 한 장의 크기"),
    ("Larger images are refused.", "이보다 큰 그림은 받지 않습니다."),
    least=1,
    most=50,
    unit=("MB", "MB"),
    group=FORM,
    seed="최대 10MB",
    requirement="A-101",
)
