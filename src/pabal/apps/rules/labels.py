"""What people read for each state, reason and verb of rules: one table for pages, command line and search."""

from pabal.apps.rules.model.rules import RunReason, Trigger
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

STATUS: Words = {
    "rule": {
        "active": Status("good", ("active", "켜짐")),
        "paused": Status("wait", ("paused", "일시 중지")),
        "deleted": Status("end", ("deleted", "삭제됨")),
    },
    "rule_run": {
        "running": Status("work", ("running", "실행 중")),
        "success": Status("good", ("success", "성공")),
        "failure": Status("fail", ("failure", "실패")),
    },
}

NAMES: dict[str, Pair] = {"rule": ("rules", "룰"), "rule_run": ("rule runs", "룰 실행")}

REASONS: dict[str, Pair] = {
    RunReason.WAITING: ("waits for its turn", "차례를 기다리는 중"),
    RunReason.RETRYING: ("is tried again", "다시 시도"),
    RunReason.TIMEOUT: ("took too long", "시간 초과"),
    RunReason.CANCELLED: ("cancelled", "취소됨"),
    RunReason.SKIPPED_OVERLAP: ("skipped: the run before had not ended", "앞 실행이 끝나지 않아 건너뜀"),
    RunReason.MISSED: ("missed: the server was off", "서버가 꺼져 있어 놓침"),
    RunReason.INTERRUPTED: ("interrupted", "서버가 멈춰 중단됨"),
    RunReason.SCRIPT_FAILED: ("the script failed", "스크립트 실패"),
    RunReason.SCRIPTS_OFF: ("this server runs no scripts", "스크립트를 실행할 수 없는 서버"),
    RunReason.SOURCE_FAILED: ("no data", "데이터를 받지 못함"),
    RunReason.FILES_NOT_KEPT: ("its files could not be kept", "결과 파일을 보관하지 못함"),
    RunReason.NOT_ALLOWED: ("this server does not allow what the rule asks for", "서버에서 허용하지 않은 권한"),
    RunReason.RAISED: ("the script raised an exception", "스크립트에서 예외 발생"),
    RunReason.BAD_RETURN: ("the script returned something else than a dict", "반환값이 dict가 아님"),
    RunReason.CRASHED: ("the script's process died", "스크립트 프로세스가 비정상 종료됨"),
    RunReason.MEMORY: ("used too much memory", "메모리 한도 초과"),
    RunReason.OUTPUT_TOO_LARGE: ("made more than can be kept", "보관 한도 초과"),
    RunReason.SCRIPT_MISSING: ("there is no such script", "스크립트가 없음"),
    RunReason.FUNCTION_MISSING: ("there is no such function", "함수가 없음"),
    RunReason.METADATA_BROKEN: ("the script's metadata cannot be read", "메타데이터를 읽을 수 없음"),
    RunReason.ENVIRONMENT_NOT_READY: ("its packages are not ready", "패키지 준비 중"),
    RunReason.GIT_FAILED: ("the repository cannot be read", "저장소를 읽을 수 없음"),
}

TRIGGERS: dict[str, Pair] = {
    Trigger.SCHEDULE: ("schedule", "예약"),
    Trigger.MANUAL: ("by hand", "직접 실행"),
    Trigger.DRY_RUN: ("dry run", "시험 실행"),
}

# how somebody is told; a script's own wish goes by all channels
WAYS: dict[str, Pair] = {
    "telegram": ("Telegram", "텔레그램"),
    "log": ("Log", "로그"),
    "webhook": ("Webhook", "웹훅"),
    "email": ("E-mail", "이메일"),
    "event": ("Event", "이벤트"),
    "approval": ("Approval", "승인 요청"),
    "workflow": ("Workflow", "워크플로우"),
    "notify": ("Notice", "알림"),
}

MISFIRES: dict[str, Pair] = {
    "run_once": ("run once", "한 번만 실행"),
    "skip": ("do not run", "실행하지 않음"),
    "run_all": ("run all, up to a number", "정한 수까지 모두 실행"),
}

OVERLAPS: dict[str, Pair] = {
    "skip": ("skip the new one", "새 실행을 건너뜀"),
    "queue": ("wait for its turn", "끝날 때까지 기다림"),
    "allow": ("run both", "함께 실행"),
    "cancel_previous": ("stop the one before", "앞 실행을 멈춤"),
}

# those every server has; `lookups.list_labels` knows an operator's own too
SOURCES: dict[str, Pair] = {
    "quote": ("Stock quote", "시세"),
    "yfinance": ("Quote (Yahoo Finance)", "시세(야후 파이낸스)"),
    "offline_quote": ("Quote (made up, offline)", "시세(연습용)"),
    "http_json": ("JSON at an address", "주소의 JSON"),
    "news_summary": ("Articles on a topic, summarised", "주제별 기사 요약"),
    "offline_news": ("Articles, summarised (made up, offline)", "주제별 기사 요약(연습용)"),
}

ACTIONS: dict[str, Pair] = {
    "rule_create": ("made a rule", "룰 만들기"),
    "rule_edit": ("edited a rule", "룰 수정"),
    "rule_pause": ("paused a rule", "룰 일시 중지"),
    "rule_resume": ("resumed a rule", "룰 다시 켜기"),
    "rule_delete": ("deleted a rule", "룰 삭제"),
    "rule_run": ("ran a rule now", "룰 바로 실행"),
    "rule_dry_run": ("tried a rule", "룰 시험 실행"),
    "rule_skip": ("skipped a moment of a rule", "룰의 다음 실행 건너뛰기"),
    "rule_keep": ("kept a moment of a rule after all", "건너뛰기 취소"),
    "run_cancel": ("cancelled a run", "실행 취소"),
    "run_decide": ("answered what a run asked", "룰의 승인 요청에 답하기"),
}
