"""What `pabal render` says besides what is described, in English and Korean, and the next command after an error."""

from collections.abc import Mapping

from pabal.platform.language.pairs import Pair

SAME: Pair = (
    "The same input was rendered before: this is that job. Ask with --again for another.",
    "같은 데이터로 이미 렌더링한 작업입니다. 다시 렌더링하려면 --again을 붙이세요.",
)
CHECKED: Pair = ("The file is in order: nothing to fix.", "파일에 고칠 곳이 없습니다.")
RETRIED: Pair = ("{count} jobs begin again.", "{count}건을 다시 시작합니다.")
CLEARED: Pair = (
    "Every worker reads compositions and mappings again.",
    "모든 워커가 컴포지션과 매핑을 다시 읽습니다.",
)
ASK_RELEASE: Pair = ("Take {count} stuck jobs from their workers?", "멈춘 작업 {count}건을 워커에서 떼어 낼까요?")
NONE_STUCK: Pair = ("Nothing is stuck.", "멈춘 작업이 없습니다.")
LEFT: Pair = ("about {span}", "약 {span}")
ATTEMPT: Pair = ("attempt {n}", "시도 {n}")
ON_AIR: Pair = ("on air {at} ({spare} to spare)", "방송 {at} (여유 {spare})")
LATE: Pair = ("on air {at} ({spare} late)", "방송 {at} ({spare} 늦음)")
NEEDED: Pair = ("on air {at}", "방송 {at}")

_JOBS, _WORKERS, _COMPOSITIONS = "pabal render job list", "pabal render worker list", "pabal render composition list"
NEXT: Mapping[str, str] = {
    "bad_render": "pabal render job new --help",
    "bad_render_priority": "pabal render job prioritize JOB urgent",
    "bad_slot_hours": 'pabal render worker hours WORKER "1-5 09:00-18:00 Asia/Seoul"',
    "composition_not_found": _COMPOSITIONS,
    "composition_taken": _COMPOSITIONS,
    "mapping_refused": "pabal render mapping check FILE",
    "name_ambiguous": "the same with its id",
    "no_sample_data": "pabal render mapping test COMPOSITION --data FILE",
    "render_ended": "pabal render job show JOB",
    "render_has_no_file": "pabal render job retry JOB",
    "render_not_ended": "pabal render job show JOB",
    "render_not_found": _JOBS,
    "render_not_stuck": "pabal render stuck",
    "render_refused": "pabal render mapping test COMPOSITION --data FILE",
    "render_slot_not_found": _WORKERS,
    "render_slot_state": _WORKERS,
    "render_winding_down": "pabal render job watch JOB",
    "too_many_renders": "pabal render job new --help",
}
