"""What `pabal ad` says, in English and Korean: columns, codes, sentences, and the next command after an error."""

from collections.abc import Mapping, Sequence
from typing import Any

from pabal.apps.adgroups.labels import CAUSES, EVENTS, MARKS, OUTCOMES, REFUSALS, RUN_STATES, STATES, STATUS
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Lang, Pair, put

COLUMNS: Mapping[str, Pair] = {
    "name": ("NAME", "이름"),
    "reason": ("REASON", "이유"),
    "why": ("WHY", "이유"),
    "campaign": ("CAMPAIGN", "캠페인"),
    "start_at": ("START", "시작"),
    "end_at": ("END (not included)", "종료(그 시각 전까지)"),
    "hours": ("HOURS", "시간대"),
    "zone": ("ZONE", "표준시"),
    "next_event": ("NEXT EVENT", "다음 이벤트"),
    "next_at": ("WHEN", "언제"),
    "source": ("STATE FROM", "상태의 근거"),
    "creatives": ("CREATIVES", "소재"),
    "inventories": ("INVENTORY", "인벤토리"),
    "is_held": ("START TAKEN OUT", "시작 취소됨"),
    "legacy_id": ("OLD ID", "옛 ID"),
    "created_by": ("MADE BY", "만든 사람"),
    "created_at": ("MADE", "만든 때"),
    "updated_at": ("CHANGED", "바뀐 때"),
    "event": ("EVENT", "이벤트"),
    "is_allowed": ("ALLOWED", "가능"),
    "target": ("LEADS TO", "다음 상태"),
    "conditions": ("CONDITIONS", "조건"),
    "is_extension": ("EXTENSION", "확장"),
    "since": ("SINCE", "부터"),
    "until": ("UNTIL", "까지"),
    "by": ("BY EVENT", "이벤트"),
    "before": ("BEFORE", "이전"),
    "actor": ("WHO", "누가"),
    "at": ("AT", "시각"),
    "due_at": ("DUE", "예정"),
    "ad_group": ("AD GROUP", "광고그룹"),
    "tries": ("FAILED TRIES", "실패"),
    "url": ("ADDRESS", "주소"),
    "code": ("CODE", "코드"),
    "campaign_state": ("STATE", "상태"),
    "flag": ("FLAG", "플래그"),
    "of": ("OF", "대상"),
    "is_on": ("STORED STATE", "저장된 상태 사용"),
    "set_by": ("SET BY", "정한 사람"),
    "set_at": ("SET", "정한 때"),
    "changed": ("AD GROUPS CHANGED", "바뀐 광고그룹"),
    "calculated": ("CALCULATOR", "계산기"),
    "stored": ("MACHINE", "상태 머신"),
    "cause": ("CAUSE", "원인"),
    "resolved_at": ("OVER", "해소"),
    "decision": ("DECIDED", "결정"),
    "decided_by": ("DECIDED BY", "결정한 사람"),
    "compared": ("COMPARED", "비교"),
    "differing": ("DIFFERING", "다름"),
    "run_state": ("STATE", "상태"),
    "mode": ("HOW", "방식"),
    "rows": ("ROWS", "행"),
    "checkpoint": ("DONE UP TO", "마친 행"),
    "counts": ("DONE", "처리"),
    "states": ("STATES", "상태별"),
    "marks": ("TO LOOK AT", "살펴볼 것"),
    "refusals": ("LEFT OUT", "옮기지 않는 까닭"),
    "refusal": ("LEFT OUT", "옮기지 않는 까닭"),
    "problem": ("FOUND", "내용"),
    "outcome": ("OUTCOME", "결과"),
    "old_status": ("OLD STATUS", "예전 상태"),
    "started_at": ("STARTED", "시작"),
    "finished_at": ("ENDED", "끝"),
    "rolled_back_at": ("TAKEN BACK", "되돌린 때"),
    "n": ("ROW", "행"),
    "to": ("WRITTEN TO", "쓴 곳"),
    "is_wanted": ("SERVED", "송출 데이터 사용"),
    "running": ("RUNNING", "송출중"),
    "refreshed_at": ("REFRESHED", "갱신"),
    "rebuilt_at": ("REBUILT", "새로 만든 때"),
    "away_since": ("REDIS AWAY SINCE", "Redis 끊김"),
    "away_error": ("IT SAID", "오류"),
    "took_ms": ("TOOK (ms)", "걸린 시간(ms)"),
    "asked_by": ("ASKED BY", "요청"),
    "found": ("DIFFERENCES", "차이"),
    "mended": ("MENDED", "고침"),
    "job": ("JOB", "작업"),
}
_OF_STATES = ("target", "before", "calculated", "stored")
CODES: Mapping[str, Pair] = {
    **{f"{column}.{event.upper()}": said for event, said in EVENTS.items() for column in ("next_event", "event", "by")},
    **{f"{column}.{state.upper()}": said for state, said in STATES.items() for column in _OF_STATES},
    "event.BEGIN": ("made", "만듦"),
    "source.machine": ("machine", "상태 머신"),
    "source.calculator": ("calculator", "계산기"),
    "campaign_state.planned": ("planned", "예정"),
    "campaign_state.open": ("open", "진행"),
    "campaign_state.closed": ("closed", "닫힘"),
    "flag.id": ("ad group", "광고그룹"),
    "flag.campaign": ("campaign", "캠페인"),
    "flag.percent": ("of a hundred", "백분율"),
    "flag.new": ("new ones", "새 광고그룹"),
    "decision.machine": ("trust the machine", "상태 머신을 믿음"),
    "decision.calculator": ("keep the calculator", "계산기를 유지"),
    "mode.one_transaction": ("in one transaction", "한 트랜잭션"),
    "mode.batches": ("in batches", "나누어"),
    **{f"cause.{name}": said for name, said in CAUSES.items()},
    **{f"run_state.{name}": said for name, said in RUN_STATES.items()},
    **{f"outcome.{name}": said for name, said in OUTCOMES.items()},
    **{f"refusal.{name}": said for name, said in REFUSALS.items()},
}
WORDS: Mapping[str, Pair] = {**COLUMNS, **CODES}
_COUNTED: Mapping[str, Pair] = {
    **{state.value: said for state, said in STATES.items()},
    **MARKS,
    **REFUSALS,
    **OUTCOMES,
}

NO_GROUPS: Pair = (
    "No ad groups. Example: pabal ad create --name NAME --campaign CAMPAIGN --until 2026-12-31",
    "광고그룹이 없습니다. 예: pabal ad create --name 이름 --campaign 캠페인 --until 2026-12-31",
)
NO_CAMPAIGNS: Pair = (
    "No campaigns. Example: pabal ad campaign create NAME --org UNIT",
    "캠페인이 없습니다. 예: pabal ad campaign create 이름 --org 조직",
)
NO_INVENTORY: Pair = (
    "No inventory. Example: pabal ad inventory add CODE --name NAME --org UNIT",
    "인벤토리가 없습니다. 예: pabal ad inventory add 코드 --name 이름 --org 조직",
)
NO_CREATIVES: Pair = (
    "No creatives. Example: pabal ad creative add AD_GROUP --name NAME --url https://…",
    "소재가 없습니다. 예: pabal ad creative add 광고그룹 --name 이름 --url https://…",
)
NO_DELAYED: Pair = ("No delayed event waits.", "기다리는 지연 이벤트가 없습니다.")
ASK_DELETE: Pair = (
    "Delete {count} ad group(s)? It cannot be taken back; the history stays.",
    "광고그룹 {count}개를 삭제할까요? 되돌릴 수 없습니다. 이력은 남습니다.",
)
NO_FLAGS: Pair = (
    "No flags: every ad group made here uses its stored state, those brought over the calculator.",
    "플래그가 없습니다. 여기서 만든 광고그룹은 저장된 상태를, 옮겨 온 것은 계산기를 씁니다.",
)
NO_MISMATCHES: Pair = ("Both ways agree.", "두 방식이 같습니다.")
NO_RUNS: Pair = (
    "No migration yet: pabal ad migration check FILE.csv",
    "아직 전환이 없습니다: pabal ad migration check 파일.csv",
)
NO_ROWS: Pair = ("No such rows.", "그런 행이 없습니다.")
NO_CHECKS: Pair = ("Not compared yet.", "아직 비교하지 않았습니다.")
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
NOT_SERVED: Pair = (
    "No server has PABAL_SERVING_URL: nothing is written for ad servers.",
    "PABAL_SERVING_URL이 있는 서버가 없어 광고 서버용 데이터를 쓰지 않습니다.",
)
EXPORTED: Pair = ("{count} delayed events.", "지연 이벤트 {count}개.")
HOLDS, FAILS = "✓", "✕"

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


def count_words(counted: Mapping[str, int], lang: Lang) -> str:
    """running 12, expired 3."""
    return ", ".join(f"{_word(name, lang)} {count}" for name, count in counted.items() if count)


def mark_words(marks: Sequence[str], lang: Lang) -> list[str]:
    return [_word(mark, lang) for mark in marks]


def _word(name: str, lang: Lang) -> str:
    return put(lang, _COUNTED[name]) if name in _COUNTED else name


def reply(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], **more: Any) -> Answer:
    """An answer in the words of ad groups."""
    return Answer(columns, rows, status=STATUS, words=WORDS, **more)


def reply_one(shell: Shell, fields: Sequence[str], row: Mapping[str, Any], *, family: str = "") -> Answer:
    """Of one thing. People are not shown what is empty; programs get the same columns every time."""
    shown = [name for name in fields if shell.output != "table" or row.get(name) not in ([], "")]
    return reply(shown, [row], single=True, family=family)
