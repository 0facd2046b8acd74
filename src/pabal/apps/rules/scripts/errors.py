"""Why a script did not run to its end, in both languages."""

from pabal.apps.rules.scripts.model import ScriptReason
from pabal.base.errors import Invalid
from pabal.platform.language.pairs import Pair


class ScriptUnusable(Invalid, code="script_unusable"):
    """The script cannot be run."""

    def __init__(self, reason: ScriptReason, fact: str = "") -> None:
        self.reason, self.fact = reason, fact
        super().__init__(f"{reason}: {fact}" if fact else reason)


REASONS: dict[ScriptReason, Pair] = {
    ScriptReason.TIMEOUT: (
        "The script took longer than its time limit and was ended.",
        "제한 시간을 넘겨 스크립트를 종료했습니다.",
    ),
    ScriptReason.CANCELLED: ("The run was cancelled.", "실행이 취소되었습니다."),
    ScriptReason.MEMORY: (
        "The script used more memory than it may and was ended.",
        "메모리 한도를 넘겨 스크립트를 종료했습니다.",
    ),
    ScriptReason.CRASHED: ("The script's process died.", "스크립트 프로세스가 비정상 종료되었습니다."),
    ScriptReason.RAISED: ("The script raised an exception.", "스크립트에서 예외가 발생했습니다."),
    ScriptReason.BAD_RETURN: (
        "The function must return a dict that can be written as JSON.",
        "함수는 JSON으로 쓸 수 있는 dict를 반환해야 합니다.",
    ),
    ScriptReason.SCRIPT_MISSING: ("There is no such script in the repository.", "저장소에 이 스크립트가 없습니다."),
    ScriptReason.FUNCTION_MISSING: (
        "The script has no such function registered with @rule.",
        "스크립트에 @rule로 등록한 해당 함수가 없습니다.",
    ),
    ScriptReason.METADATA_BROKEN: (
        "The script's inline metadata cannot be read.",
        "스크립트의 인라인 메타데이터를 읽을 수 없습니다.",
    ),
    ScriptReason.ENVIRONMENT_NOT_READY: (
        "The script's packages have not been prepared yet.",
        "스크립트에 필요한 패키지가 아직 준비되지 않았습니다.",
    ),
    ScriptReason.GIT_FAILED: ("The script repository cannot be read.", "스크립트 저장소를 읽을 수 없습니다."),
    ScriptReason.OUTPUT_TOO_LARGE: (
        "The script produced more than it may keep and was ended.",
        "스크립트가 보관 한도보다 많은 데이터를 만들어 종료했습니다.",
    ),
    ScriptReason.LOST: ("The script's process was lost.", "스크립트 프로세스와 연결이 끊겼습니다."),
}

KO: dict[str, str] = {
    "script_unusable": "스크립트를 실행할 수 없습니다.",
    "script_block_broken": "스크립트의 인라인 메타데이터를 읽을 수 없습니다.",
    "commit_missing": "저장소에 이 커밋이 없습니다.",
    "not_json": "이 옵션에는 JSON을 적어야 합니다.",
}
