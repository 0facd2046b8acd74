"""What became of an event, in two languages: one table for pages and the command line."""

from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

FAMILY = "broker_event"
STATUS: Words = {
    FAMILY: {
        "applied": Status("good", ("applied", "적용")),
        "refused": Status("attn", ("refused", "거부")),
        "failed": Status("fail", ("failed", "실패")),
        "retrying": Status("work", ("tried again", "다시 시도")),
    }
}
NO_LINES: Pair = (
    "No server with a broker was heard of in the last minute.",
    "최근 1분 안에 브로커에 연결하려 한 서버가 없습니다.",
)
