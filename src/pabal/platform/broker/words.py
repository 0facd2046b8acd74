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
COLUMNS: dict[str, Pair] = {
    "is_set": ("BROKER SET", "브로커 설정"),
    "is_connected": ("CONNECTED", "연결"),
    "lag_seconds": ("FACTS BEHIND (S)", "나가지 못한 사실(초)"),
    "pending": ("EVENTS IN HAND", "처리 중인 이벤트"),
    "server": ("SERVER", "서버"),
    "side": ("SIDE", "방향"),
    "side.in": ("events in", "이벤트 받기"),
    "side.out": ("facts out", "사실 내보내기"),
    "seen_at": ("HEARD", "확인"),
    "failed_since": ("AWAY SINCE", "끊긴 때"),
    "error": ("ERROR", "오류"),
    "code": ("CODE", "코드"),
    "tries": ("TRIES", "시도"),
    "duplicates": ("AGAIN", "중복"),
}
NO_EVENTS: Pair = ("No events.", "이벤트가 없습니다.")
NO_LINES: Pair = (
    "No server with a broker was heard of in the last minute.",
    "최근 1분 안에 브로커에 연결하려 한 서버가 없습니다.",
)
