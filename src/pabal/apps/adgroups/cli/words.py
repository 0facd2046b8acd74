"""What `pabal ad` says, in English and Korean: questions, hints, and the next command after an error."""

from collections.abc import Mapping

from pabal.platform.language.pairs import Pair

ASK_DELETE: Pair = (
    "Delete {count} ad group(s)? It cannot be taken back; the history stays.",
    "광고그룹 {count}개를 삭제할까요? 되돌릴 수 없습니다. 이력은 남습니다.",
)
ASK_SWITCH: Pair = (
    "Every ad group will show its stored state, whatever was said of it before. Go on?",
    "모든 광고그룹이 저장된 상태를 씁니다. 지금까지 정한 것은 없어집니다. 계속할까요?",
)
ASK_ROLL_BACK: Pair = (
    "Take migration {run} back? What it made is removed, what it changed is restored.",
    "전환 {run}을(를) 되돌릴까요? 만든 것은 지우고 고친 것은 되돌립니다.",
)
START_IT: Pair = (
    "To do it: pabal ad migration run {run}. Its rows: pabal ad migration rows {run} --only suspicious",
    "실행: pabal ad migration run {run}. 행 보기: pabal ad migration rows {run} --only suspicious",
)
FOLLOW_IT: Pair = (
    "A server does it: pabal ad migration status {run}. Without a server: --here",
    "서버가 처리합니다: pabal ad migration status {run}. 서버가 없으면 --here",
)
WHAT_BECOMES: Pair = ("What becomes of it: pabal why {job}", "결과 보기: pabal why {job}")
EXPORTED: Pair = ("{count} delayed events.", "지연 이벤트 {count}개.")

_SHOW, _LIST, _DELAYED = "pabal ad show AD_GROUP", "pabal ad list", "pabal ad delayed list"
NEXT: Mapping[str, str] = {
    "cannot_write": "pabal ad migration report RUN --to FILE",
    "files_not_here": "PABAL_DATA_DIR=… {command}",
    "ad_group_changed": _SHOW,
    "ad_group_not_found": _LIST,
    "ad_group_over": "pabal ad create --help",
    "already_started": "pabal ad edit AD_GROUP --until 2026-12-31",
    "bad_ad_group": "pabal ad create --help",
    "bad_campaign": "pabal ad campaign create --help",
    "bad_creative": "pabal ad creative add --help",
    "bad_day_parts": "pabal ad create --help",
    "bad_flag": "pabal ad flag set --help",
    "bad_inventory": "pabal ad inventory add --help",
    "bad_legacy_file": "pabal ad migration check --help",
    "cannot_read": "pabal ad migration check FILE.csv",
    "bad_moment": "pabal ad create --help",
    "campaign_not_found": "pabal ad campaign list",
    "cannot_move_there": _DELAYED,
    "creative_not_found": "pabal ad creative list AD_GROUP",
    "event_refused": "pabal ad explain AD_GROUP",
    "flag_not_found": "pabal ad flag list",
    "inventory_code_taken": "pabal ad inventory list",
    "inventory_not_found": "pabal ad inventory list",
    "mismatch_not_found": "pabal ad mismatch list",
    "must_end": "pabal ad delayed move AD_GROUP expire MOMENT",
    "name_ambiguous": "the same with its id",
    "no_legacy_table": "pabal ad migration check FILE.csv",
    "no_such_delayed_event": _DELAYED,
    "run_busy": "pabal ad migration status",
    "run_not_found": "pabal ad migration status",
    "serving_off": "PABAL_SERVING_URL=redis://… pabal up",
    "setup_locked": "pabal ad send reject AD_GROUP",
    "unknown_zone": "pabal ad create --help",
    "wrong_run_state": "pabal ad migration status",
}
