"""What `pabal msg` says, in English and Korean: columns, codes, sentences, and the next command after an error."""

from collections.abc import Mapping, Sequence
from typing import Any

from pabal.apps.messaging.model.reasons import COMPONENTS, LIMITS
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Pair

with lazily():
    from pabal.apps.messaging import labels as app_words

COLUMNS: Mapping[str, Pair] = {
    "title": ("TITLE", "제목"),
    "description": ("DESCRIPTION", "설명"),
    "text": ("TEXT", "글"),
    "images_1": ("IMAGES 1", "그림 1"),
    "images_2": ("IMAGES 2", "그림 2"),
    "send_order": ("ORDER", "순서"),
    "send_interval_seconds": ("INTERVAL (s)", "간격(초)"),
    "says": ("WHEN", "언제"),
    "valid_from": ("FROM", "유효 시작"),
    "valid_until": ("UNTIL", "유효 끝"),
    "late_policy": ("WHEN LATE", "늦었을 때"),
    "next_send_at": ("NEXT", "다음 발송"),
    "last_sent_at": ("LAST SENT", "마지막 발송"),
    "send_count": ("SENDS", "발송 수"),
    "failures": ("FAILURES IN A ROW", "이어진 실패"),
    "created_by": ("MADE BY", "만든 사람"),
    "created_at": ("MADE", "만든 때"),
    "updated_at": ("CHANGED", "바뀐 때"),
    "room": ("ROOM", "톡방"),
    "bot": ("BOT", "봇"),
    "bots": ("BOTS", "봇"),
    "held": ("HELD FOR ITS NAME", "이름이 겹쳐 보류"),
    "org": ("UNIT", "조직"),
    "room_type": ("KIND", "종류"),
    "channel_id": ("CHANNEL", "채널ID"),
    "note": ("NOTE", "메모"),
    "budget": ("BUDGET", "제한"),
    "last_message_at": ("LAST MESSAGE", "마지막 메시지"),
    "image_mode": ("IMAGES", "그림 보내기"),
    "has_secret": ("SIGNS", "서명"),
    "waiting": ("WAITING", "대기"),
    "server": ("SERVER", "서버"),
    "last_ping_at": ("LAST SIGNAL", "마지막 신호"),
    "excluded_reason": ("WHY EXCLUDED", "제외한 까닭"),
    "pending": ("TO APPROVE", "승인 대기 기기"),
    "device_id": ("DEVICE", "기기"),
    "client_version": ("SCRIPT", "스크립트"),
    "address": ("ADDRESS", "주소"),
    "asks_from": ("ASKS FROM", "승인 대기 주소"),
    "decided_by": ("DECIDED BY", "정한 사람"),
    "decided_at": ("DECIDED", "정한 때"),
    "scheduled_at": ("DUE", "예정"),
    "started_at": ("BEGAN", "시작"),
    "ended_at": ("ENDED", "끝"),
    "schedule": ("SCHEDULE", "스케줄"),
    "cause": ("CAUSE", "계기"),
    "parts": ("SENT", "보낸 것"),
    "attempts": ("TRIES", "시도"),
    "why": ("WHY", "이유"),
    "job": ("JOB", "작업"),
    "schedules": ("SCHEDULES", "쓰는 스케줄"),
    "sends": ("SENDS", "발송 수"),
    "limit": ("LIMIT", "제한"),
    "used": ("USED", "사용"),
    "most": ("MOST", "최대"),
    "span": ("WITHIN", "동안"),
    "meter": ("METER", "사용률"),
    "is_own": ("THE ROOM'S OWN", "톡방 값"),
    "next_allowed_at": ("NEXT ALLOWED", "다음 가능"),
    "active_bots": ("BOTS", "봇"),
    "total_connections": ("CONNECTIONS", "연결"),
    "memory_mb": ("MEMORY (MB)", "메모리(MB)"),
    "cpu_percent": ("CPU (%)", "CPU(%)"),
    "refused": ("REFUSED", "거절"),
    "at": ("AT", "시각"),
    "processed": ("PROCESSED", "처리"),
    "sent": ("SENT", "성공"),
    "success_rate": ("SUCCESS (%)", "성공률(%)"),
    "average_ms": ("TOOK (ms)", "평균 처리(ms)"),
    "delay_ms": ("DELAY (ms)", "평균 지연(ms)"),
    "delay_p50_ms": ("DELAY p50 (ms)", "지연 p50(ms)"),
    "delay_p95_ms": ("DELAY p95 (ms)", "지연 p95(ms)"),
    "delay_p99_ms": ("DELAY p99 (ms)", "지연 p99(ms)"),
    "per_hour": ("PER HOUR", "시간당"),
    "unsent": ("DUE, NOT SENT", "미발송"),
    "duplicates_prevented": ("DUPLICATES PREVENTED", "막은 중복"),
    "deliveries": ("SENDS", "발송"),
    "since": ("SINCE", "시작"),
    "until": ("UNTIL", "끝"),
    "name": ("NAME", "이름"),
    "month": ("MONTH", "달"),
    "made_at": ("MADE", "만든 때"),
    "to": ("COPIED TO", "복사한 곳"),
}
CODES: Mapping[str, Pair] = {
    "room_type.production": ("production", "운영"),
    "room_type.test": ("test", "테스트"),
    "image_mode.single": ("one by one", "한 장씩"),
    "image_mode.group": ("as a group", "묶음으로"),
    "cause.schedule": ("schedule", "스케줄"),
    "cause.now": ("sent now", "지금 보내기"),
    "cause.test": ("test", "테스트"),
    "late_policy.window": ("sends within the window", "정해진 시간 안에만 보냄"),
    "late_policy.send_late": ("sends it late", "늦어도 보냄"),
    "late_policy.ask": ("asks", "물어봄"),
    "late_policy.skip": ("skips it", "건너뜀"),
    "send_order.text_first": ("text first", "글 먼저"),
    "send_order.images_first": ("images first", "그림 먼저"),
    "send_order.images_only": ("images only", "그림만"),
    **{f"limit.{name}": words for name, words in LIMITS.items()},
}
WORDS: Mapping[str, Pair] = {**COLUMNS, **CODES}

NO_SCHEDULES: Pair = (
    "No scheduled messages yet. Example: pabal msg schedule new --room ROOM --text 'Hello' --daily 09:00",
    "아직 예약한 메시지가 없습니다. 예: pabal msg schedule new --room 톡방 --text '안녕하세요' --daily 09:00",
)
NO_TEMPLATES: Pair = (
    "No templates yet: pabal msg template save NAME --text TEXT",
    "아직 템플릿이 없습니다: pabal msg template save 이름 --text 글",
)
NO_ROOMS: Pair = (
    "No rooms. Those a bot has heard something in: pabal msg room list --unclaimed",
    "톡방이 없습니다. 봇이 발견한 톡방: pabal msg room list --unclaimed",
)
NO_BOTS: Pair = (
    "No bot has connected yet: give the phone's script the address of this server, port 1490, or try pabal sim bot",
    "연결된 봇이 없습니다. 봇 앱에 이 서버의 주소와 1490 포트를 넣거나 pabal sim bot 을 써 보세요",
)
NO_DELIVERIES: Pair = ("Nothing was sent yet.", "아직 보낸 것이 없습니다.")
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
ASK_DELETE_TEMPLATE: Pair = (
    "Delete template {template}? Schedules made from it stay.",
    "템플릿 {template}을(를) 지울까요? 이것으로 만든 스케줄은 그대로입니다.",
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
SECRET: Pair = ("Secret", "비밀값")
SALT: Pair = ("Salt (may be empty)", "솔트(비워도 됩니다)")
CUT: Pair = ("(folded there: the app shows ‘View all’)", "(앱에서는 여기서 접히고 ‘전체보기’가 보입니다)")
PICTURES = COMPONENTS

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


def reply(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], **more: Any) -> Answer:
    """An answer in messaging's words."""
    return Answer(columns, rows, status=app_words.STATUS, words=WORDS, **more)


def reply_one(shell: Shell, fields: Sequence[str], row: Mapping[str, Any], *, family: str = "") -> Answer:
    """Of one thing. People are not shown what is empty; programs get the same columns every time."""
    shown = [name for name in fields if shell.output != "table" or row.get(name) not in ([], "")]
    return reply(shown, [row], single=True, family=family)
