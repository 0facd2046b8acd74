"""What `pabal msg` says besides what is described: sentences, the next command after an error."""

from collections.abc import Mapping

from pabal.platform.language.pairs import Pair

NO_ARCHIVES: Pair = (
    "No month is put away yet. It is done on the 3rd of each month at 04:30 in Seoul: pabal schedules list",
    "아직 보관한 달이 없습니다. 매월 3일 04:30(서울)에 보관합니다: pabal schedules list",
)
NO_SERVERS: Pair = ("No server of bots runs: pabal up", "봇을 받는 서버가 없습니다: pabal up")
NOTHING: Pair = ("Nothing to report in that time.", "그 기간에 처리한 것이 없습니다.")
NO_LIMITS: Pair = ("This room has no limits.", "이 톡방에는 제한이 없습니다.")

ASK_SEND: Pair = (
    "Send '{title}' to {room} now? It cannot be taken back.",
    "'{title}'을(를) {room}에 지금 보낼까요? 되돌릴 수 없습니다.",
)
ASK_DELETE: Pair = (
    "Delete schedule {schedule}? Nothing more of it is sent; its log stays.",
    "스케줄 {schedule}을(를) 지울까요? 더는 보내지 않습니다. 발송 기록은 남습니다.",
)
SENT_TO: Pair = ("What becomes of it: pabal why {job}", "결과 보기: pabal why {job}")
LOOK_AT: Pair = ("What becomes of it: pabal msg delivery show {id}", "결과 보기: pabal msg delivery show {id}")
LOAD_LIMITS: Pair = (
    "With more than {bots} bots, {memory} MB or {cpu} % CPU a server refuses new bots.",
    "봇 {bots}개, {memory}MB, CPU {cpu}%를 넘으면 서버가 새 봇을 받지 않습니다.",
)
CHECKED: Pair = ("Checked, not saved (--dry-run)", "점검 완료, 저장하지 않음 (--dry-run)")
SAVE_IT: Pair = ("To save it, run it again without --dry-run.", "저장하려면 --dry-run 없이 다시 실행하세요.")
NEXT_SENDS: Pair = ("Next", "다음 발송")
LIMIT: Pair = ("Limits", "제한")
WARNING: Pair = ("Warning", "경고")
NEVER: Pair = ("none", "없음")
MET: Pair = ("met", "충족")
FREE_AT: Pair = ("free from {at}", "{at}부터")
USED: Mapping[str, Pair] = {
    "min_gap_seconds": ("gap of {seconds} s", "간격 {seconds}초"),
    "dispatches_per_day": ("{used}/{most} sends a day", "하루 {used}/{most}회"),
    "messages_per_minute": ("{used}/{most} messages a minute", "1분 {used}/{most}건"),
    "messages_per_hour": ("{used}/{most} messages an hour", "1시간 {used}/{most}건"),
    "messages_per_day": ("{used}/{most} messages a day", "하루 {used}/{most}건"),
}
CUT: Pair = ("(folded there: the app shows ‘View all’)", "(앱에서는 여기서 접히고 ‘전체보기’가 보입니다)")

_SCHEDULES, _ROOMS, _BOTS = "pabal msg schedule list", "pabal msg room list", "pabal msg bot list"
NEXT: Mapping[str, str] = {
    "archive_not_found": "pabal msg archive list",
    "bad_room": "pabal msg room edit --help",
    "bad_bot_secret": "pabal msg bot secret --help",
    "bad_exclusion": "pabal msg bot exclude --help",
    "bad_file": "pabal msg schedule new --help",
    "bad_moment": "pabal msg schedule new --help",
    "bad_when": "pabal msg schedule new --help",
    "bot_excluded": _BOTS,
    "bot_included": _BOTS,
    "bot_not_found": _BOTS,
    "bot_not_in_room": "pabal msg room list --kind test",
    "cannot_write": "pabal msg archive get MONTH --to FILE",
    "delivery_not_found": "pabal msg delivery list",
    "device_not_found": _BOTS,
    "files_not_here": "PABAL_DATA_DIR=… {command}",
    "move_not_allowed": _BOTS,
    "name_ambiguous": "the same with its number",
    "no_server_folder": "PABAL_DATA_DIR=… {command}",
    "not_a_test_room": "pabal msg room list --kind test",
    "not_over": "pabal msg delivery list",
    "nothing_to_resume": "pabal msg delivery resume ID --resend-unknown",
    "room_claimed": "pabal msg room edit ROOM --org UNIT",
    "room_in_use": _SCHEDULES,
    "room_known": _ROOMS,
    "room_not_found": _ROOMS,
    "schedule_busy": "pabal msg delivery list --open",
    "schedule_changed": "pabal msg schedule show SCHEDULE",
    "schedule_not_found": _SCHEDULES,
    "schedule_over": "pabal msg schedule edit SCHEDULE --until 2027-12-31",
    "schedule_refused": "pabal msg schedule new --help",
    "template_name_taken": "pabal msg template list",
    "template_not_found": "pabal msg template list",
    "template_refused": "pabal msg template save --help",
}
