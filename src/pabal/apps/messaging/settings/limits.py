"""How much a room is sent. A limit is a moment, never a loss."""

from pabal.apps.messaging.settings.making import LIMITS, SECONDS, TIMES, count, or_off

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
