"""What people read for each state and verb of heartbeats."""

from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

STATUS: Words = {
    "heartbeat": {
        "new": Status("wait", ("waits for its first report", "첫 보고 대기")),
        "up": Status("good", ("up", "정상")),
        "late": Status("attn", ("late", "늦음")),
        "down": Status("fail", ("down", "중단")),
        "paused": Status("end", ("paused", "일시정지")),
    },
    "heartbeat_event": {
        "run_late": Status("wait", ("late from then on", "이때부터 늦음")),
        "miss": Status("wait", ("down from then on", "이때부터 중단")),
    },
    "heartbeat_report": {
        "success": Status("good", ("success", "성공")),
        "start": Status("work", ("started", "시작")),
        "fail": Status("fail", ("failed", "실패")),
        "log": Status("wait", ("log", "기록")),
    },
}
NAMES: dict[str, Pair] = {"heartbeat": ("heartbeats", "하트비트")}
ACTIONS: dict[str, Pair] = {
    "heartbeat_create": ("made a heartbeat", "하트비트 만들기"),
    "heartbeat_edit": ("edited a heartbeat", "하트비트 수정"),
    "heartbeat_pause": ("paused a heartbeat", "하트비트 일시정지"),
    "heartbeat_resume": ("resumed a heartbeat", "하트비트 다시 시작"),
    "heartbeat_new_address": ("gave a heartbeat a new address", "하트비트 주소 변경"),
    "heartbeat_delete": ("removed a heartbeat", "하트비트 삭제"),
}
