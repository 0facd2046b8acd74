"""The one table of status words (UX 3.9): of the engine and the platform here, of each app from its slice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pabal.platform.language.pairs import Pair

Look = Literal["wait", "work", "good", "attn", "fail", "end"]


@dataclass(frozen=True, slots=True)
class Status:
    """How a state looks (shape and colour) and its word."""

    look: Look
    word: Pair


Words = Mapping[str, Mapping[str, Status]]

STATUS: Words = {
    "job": {
        "ready": Status("wait", ("ready", "준비됨")),
        "delayed": Status("wait", ("delayed", "예약")),
        "waiting": Status("wait", ("waiting", "줄 섬")),
        "running": Status("work", ("running", "진행")),
        "moving": Status("work", ("moving", "이동 중")),
        "done": Status("good", ("done", "완료")),
        "partial": Status("attn", ("partial", "일부")),
        "failed": Status("fail", ("failed", "실패")),
        "expired": Status("attn", ("expired", "만료")),
        "cancelled": Status("end", ("cancelled", "취소")),
        "quarantined": Status("fail", ("quarantined", "격리")),
    },
    "attempt": {
        "done": Status("good", ("done", "완료")),
        "partial": Status("attn", ("partial", "일부")),
        "failed": Status("fail", ("failed", "실패")),
        "cancelled": Status("end", ("cancelled", "취소")),
        "expired": Status("attn", ("expired", "만료")),
        "quarantined": Status("fail", ("quarantined", "격리")),
        "retry": Status("attn", ("failed, tried again", "실패, 다시 시도")),
        "snoozed": Status("wait", ("put off", "미룸")),
        "limited": Status("wait", ("over a limit", "제한")),
        "returned": Status("wait", ("handed back", "되돌림")),
        "lost": Status("fail", ("server died", "서버가 죽음")),
    },
    "approval": {
        "open": Status("wait", ("waiting", "기다림")),
        "approved": Status("good", ("approved", "승인")),
        "rejected": Status("end", ("rejected", "반려")),
        "withdrawn": Status("end", ("withdrawn", "거둠")),
        "expired": Status("attn", ("expired", "시간 지남")),
    },
    # what timers say to machines has a word, and no look of its own
    "approval_event": {"expire": Status("wait", ("time runs out", "기한 만료"))},
    "alert_event": {"unsilence": Status("wait", ("silence ends", "무음 끝남"))},
    "workflow_run_event": {"expire": Status("wait", ("time limit", "제한 시간 종료"))},
    "workflow_run": {
        "running": Status("work", ("running", "진행 중")),
        "paused": Status("attn", ("paused", "일시정지")),
        "stopping": Status("attn", ("stopping", "멈추는 중")),
        "compensating": Status("attn", ("taking back", "되돌리는 중")),
        "done": Status("good", ("done", "완료")),
        "failed": Status("fail", ("failed", "실패")),
        "cancelled": Status("end", ("cancelled", "취소")),
    },
    "workflow_question": {
        "open": Status("wait", ("waiting", "기다림")),
        "approved": Status("good", ("approved", "승인")),
        "rejected": Status("end", ("rejected", "반려")),
        "withdrawn": Status("end", ("withdrawn", "거둠")),
    },
    "workflow_step": {
        "planned": Status("end", ("planned", "예정")),
        "ready": Status("work", ("next", "곧 시작")),
        "running": Status("work", ("running", "진행 중")),
        "waiting": Status("wait", ("waiting", "기다림")),
        "retrying": Status("attn", ("tried again soon", "다시 시도 예정")),
        "done": Status("good", ("done", "완료")),
        "failed": Status("fail", ("failed", "실패")),
        "skipped": Status("end", ("skipped", "건너뜀")),
        "cancelled": Status("end", ("cancelled", "취소")),
    },
    "schedule": {
        "active": Status("wait", ("active", "예약됨")),
        "paused": Status("attn", ("paused", "일시중지")),
        "broken": Status("fail", ("broken", "오류")),
        "over": Status("end", ("over", "끝남")),
    },
    "occurrence": {
        "enqueued": Status("work", ("enqueued", "등록됨")),
        "done": Status("good", ("done", "완료")),
        "partial": Status("attn", ("partial", "일부")),
        "failed": Status("fail", ("failed", "실패")),
        "missed": Status("attn", ("missed", "놓침")),
        "cancelled": Status("end", ("cancelled", "취소")),
        "skipped": Status("end", ("skipped", "건너뜀")),
        "coalesced": Status("end", ("coalesced", "합침")),
    },
    "server": {
        "ok": Status("good", ("ok", "정상")),
        "draining": Status("attn", ("draining", "비우는 중")),
        "drained": Status("attn", ("drained", "비움")),
        "silent": Status("fail", ("silent", "응답 없음")),
    },
    "alert": {
        "firing": Status("fail", ("firing", "발생")),
        "acknowledged": Status("attn", ("acknowledged", "확인함")),
        "silenced": Status("wait", ("silenced", "무음")),
        "resolved": Status("good", ("resolved", "해소")),
    },
    "notice": {
        "info": Status("wait", ("info", "안내")),
        "attention": Status("attn", ("attention", "주의")),
        "failure": Status("fail", ("failure", "실패")),
    },
    "backup": {
        "running": Status("work", ("running", "진행")),
        "done": Status("good", ("done", "완료")),
        "failed": Status("fail", ("failed", "실패")),
    },
    "backup_check": {
        "good": Status("good", ("proven", "확인됨")),
        "bad": Status("fail", ("does not restore", "되살아나지 않음")),
        "failed": Status("attn", ("could not be checked", "확인하지 못함")),
    },
    "user": {
        "active": Status("good", ("active", "사용 중")),
        "invited": Status("wait", ("invited", "초대함")),
        "inactive": Status("end", ("inactive", "비활성")),
    },
    "token": {
        "active": Status("good", ("active", "사용 중")),
        "rotating": Status("attn", ("rotating", "교체 중")),
        "expired": Status("end", ("expired", "만료")),
        "revoked": Status("end", ("revoked", "회수")),
    },
    "check": {
        "ok": Status("good", ("ok", "정상")),
        "warning": Status("attn", ("warning", "주의")),
        "failed": Status("fail", ("failed", "이상")),
        "unknown": Status("wait", ("unknown", "알 수 없음")),
    },
}


def find_status(words: Words, family: str, code: str) -> Status:
    """A word that is not in the table shows itself, so that a new state is seen rather than lost."""
    known = words.get(family, {}).get(code)
    return known or Status("wait", (code.replace("_", " "), code))
