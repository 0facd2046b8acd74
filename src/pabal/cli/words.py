"""What is said to people, in English and Korean. Codes, ids and fields for programs are never translated."""

# long: one entry per sentence
from collections.abc import Mapping
from typing import Any

from pabal.platform.language.pairs import Lang
from pabal.platform.language.status import STATUS

WORDS: Mapping[str, tuple[str, str]] = {
    "error": ("error", "오류"),
    "next": ("next ", "다음 "),
    "now": ("now", "지금"),
    "hint.why": ("More: pabal why {id}", "더 보기: pabal why {id}"),
    "hint.up": ("Start one: pabal up", "시작하려면: pabal up"),
    # starting and stopping
    "up.url": ("Pabal is ready: {url}", "파발이 준비되었습니다: {url}"),
    "up.ready": ("Pabal is ready: {roles}", "파발이 준비되었습니다: {roles}"),
    "up.other_port": (
        "  Port {port} is taken, so this is another.",
        "  {port} 포트를 이미 쓰고 있어 다른 포트를 씁니다.",
    ),
    "up.database_private": ("  Database  private PostgreSQL in {folder}", "  데이터베이스  전용 PostgreSQL, {folder}"),
    "up.database_given": ("  Database  the one of PABAL_DATABASE_URL", "  데이터베이스  PABAL_DATABASE_URL의 것"),
    "up.stop_private": (
        "  Stop      Ctrl-C; the database then stays up until `pabal down`",
        "  멈추기    Ctrl-C. 데이터베이스는 `pabal down` 할 때까지 켜져 있습니다",
    ),
    "up.stop_given": ("  Stop      Ctrl-C", "  멈추기    Ctrl-C"),
    "up.link": (
        "  Sign in   {url}\n            works once, within an hour; then choose a password",
        "  로그인    {url}\n            한 번만, 한 시간 안에 쓸 수 있습니다. 들어가서 비밀번호를 정하세요",
    ),
    "up.demo": (
        "  Demo      people: demo-hq, demo-busan, demo-haeundae, demo-yeoksam; password: {password}\n"
        "            the clock can be moved in the console, or with: pabal clock advance 1h",
        "  데모      사용자: demo-hq, demo-busan, demo-haeundae, demo-yeoksam, 비밀번호: {password}\n"
        "            시계는 콘솔에서, 또는 pabal clock advance 1h 로 옮길 수 있습니다",
    ),
    "down.none": ("The private PostgreSQL does not run.", "전용 PostgreSQL이 실행 중이 아닙니다."),
    "down.stopped": ("The private PostgreSQL is stopped.", "전용 PostgreSQL을 멈췄습니다."),
    # status and next
    "status.no_server": ("No server runs.", "실행 중인 서버가 없습니다."),
    "status.depths": (
        "Jobs      ready {ready} · delayed {delayed} · waiting {waiting} · running {running}",
        "작업      준비 {ready} · 지연 {delayed} · 차례 대기 {waiting} · 실행 중 {running}",
    ),
    "status.oldest": ("Oldest    has been ready for {seconds} s", "가장 오래 {seconds}초 동안 준비 상태"),
    "status.next": ("Next due  {at}", "다음 예정 {at}"),
    "status.database_private": ("Database  private PostgreSQL in {folder}", "데이터베이스  전용 PostgreSQL, {folder}"),
    "status.database_given": ("Database  the one of PABAL_DATABASE_URL", "데이터베이스  PABAL_DATABASE_URL의 것"),
    "next.none": ("Nothing is planned in that time.", "그 시간 안에 예정된 것이 없습니다."),
    # jobs and schedules
    "jobs.none": ("No jobs.", "작업이 없습니다."),
    "jobs.more": ("More: --cursor {cursor}", "더 보기: --cursor {cursor}"),
    "jobs.cancel.ask": ("Cancel {count} job(s)?", "작업 {count}개를 취소할까요?"),
    "schedules.none": ("No schedules yet.", "아직 스케줄이 없습니다."),
    "schedules.more": ("More: --cursor {cursor}", "더 보기: --cursor {cursor}"),
    "preview.none": ("It will not fire any more.", "더는 실행되지 않습니다."),
    # database
    "db.backed_up": ("Backed up to {file} ({size} bytes).", "{file}에 백업했습니다({size}바이트)."),
    "db.restored": (
        "Restored from {file}. Start Pabal again: pabal up",
        "{file}에서 복원했습니다. 다시 시작: pabal up",
    ),
    "db.restore.ask": (
        "Drop everything in the database and restore the backup?",
        "데이터베이스의 모든 것을 지우고 백업을 복원할까요?",
    ),
    "db.current": ("Everything is up to date.", "모두 최신입니다."),
    # states that no status table has
    "state.ok": ("ok", "정상"),
    "state.warn": ("warning", "주의"),
    "state.fail": ("failure", "문제"),
    "state.signalled": ("signalled", "신호 보냄"),
    "state.ended_before": ("had ended before", "이미 끝남"),
    "state.would_cancel": ("would be cancelled", "취소 예정(변경 없음)"),
    "state.not_found": ("not found", "없음"),
    # columns
    "column.id": ("ID", "ID"),
    "column.kind": ("KIND", "종류"),
    "column.state": ("STATE", "상태"),
    "column.about": ("ABOUT", "대상"),
    "column.created_at": ("ENQUEUED", "등록"),
    "column.note": ("NOTE", "비고"),
    "column.result": ("RESULT", "결과"),
    "column.name": ("NAME", "이름"),
    "column.next_at": ("NEXT", "다음"),
    "column.says": ("WHEN", "언제"),
    "column.at": ("AT", "시각"),
    "column.wall": ("LOCAL TIME", "현지 시각"),
    "column.excluded": ("WHY NOT", "제외 이유"),
    "column.what": ("WHAT", "구분"),
    "column.host": ("HOST", "호스트"),
    "column.pid": ("PID", "PID"),
    "column.roles": ("ROLES", "역할"),
    "column.running": ("RUNNING", "실행 중"),
    "column.heard": ("HEARD (s ago)", "마지막 신호(초 전)"),
    "column.since": ("SINCE", "시작"),
    "column.check": ("CHECK", "점검"),
    "column.detail": ("FOUND", "결과"),
    "column.mend": ("HOW TO MEND", "해결 방법"),
    "column.app": ("APP", "앱"),
    "column.states": ("STATES", "상태들"),
    "column.owner": ("OWNER", "소유"),
    "column.migration": ("MIGRATION", "마이그레이션"),
    "column.token": ("TRY", "시도"),
    "column.started_at": ("STARTED", "시작"),
    "column.ended_at": ("ENDED", "끝"),
    "column.worker": ("WORKER", "워커"),
    "column.error": ("ERROR", "오류"),
    # what one may do
    "advice.retry_job": ("pabal jobs retry {id}", "pabal jobs retry {id}"),
    "advice.cancel_job": ("pabal jobs cancel {id}", "pabal jobs cancel {id}"),
    "advice.start_server": ("pabal up", "pabal up"),
    "advice.load_app": ("pabal up --app path/to/app.py", "pabal up --app path/to/app.py"),
    "advice.look_again": ("pabal why {id}", "pabal why {id}"),
    "advice.wait": ("pabal why {id}", "pabal why {id}"),
    "advice.look_at_schedule": ("pabal why {title}", "pabal why {title}"),
    "advice.pause_schedule": ("pabal schedules pause {id}", "pabal schedules pause {id}"),
    "advice.resume_schedule": ("pabal schedules resume {id}", "pabal schedules resume {id}"),
    # doctor: how to mend
    "doctor.python": ("Install Python 3.11 or newer.", "Python 3.11 이상을 설치하세요."),
    "doctor.folder": (
        "Give the folder to the user who runs Pabal (chown, chmod 755), or set PABAL_DATA_DIR.",
        "폴더를 파발 실행 사용자에게 넘기거나(chown, chmod 755) PABAL_DATA_DIR을 바꾸세요.",
    ),
    "doctor.disk": ("Make room: less than 2 GiB are left.", "공간을 비우세요. 2GiB가 남지 않았습니다."),
    "doctor.port": (
        "Fine if it is a running Pabal; otherwise the next free port is used, or set PABAL_PORT.",
        "실행 중인 파발이면 괜찮습니다. 아니면 다음 빈 포트를 쓰거나 PABAL_PORT를 바꾸세요.",
    ),
    "doctor.apps": ("Mend what is named, or PABAL_APPS.", "표시된 것 또는 PABAL_APPS를 고치세요."),
    "doctor.database": (
        "Start it (pabal up), or check PABAL_DATABASE_URL.",
        "시작하거나(pabal up) PABAL_DATABASE_URL을 확인하세요.",
    ),
    "doctor.version": ("Use PostgreSQL 15, 16, 17 or 18.", "PostgreSQL 15, 16, 17, 18 중 하나를 쓰세요."),
    "doctor.migrations": ("pabal db migrate", "pabal db migrate"),
    "doctor.clock": (
        "Synchronise this machine's clock (chrony, ntp). Pabal itself goes by the database's.",
        "이 컴퓨터의 시계를 맞추세요(chrony, ntp). 파발은 데이터베이스 시계를 따릅니다.",
    ),
    "doctor.listen": (
        "NOTIFY does not arrive: a transaction pooler? Give the direct address; until then Pabal polls.",
        "NOTIFY가 오지 않습니다. 트랜잭션 풀러라면 직접 주소를 쓰세요. 그동안은 주기적으로 확인합니다.",
    ),
    "doctor.snapshot": (
        "A transaction is open for long and keeps dead rows; end it: select pg_terminate_backend(PID).",
        "오래 열린 트랜잭션이 죽은 행을 붙잡고 있습니다. 끝내세요: select pg_terminate_backend(PID).",
    ),
    "doctor.dead_rows": (
        "Autovacuum does not keep up: look for old transactions, then VACUUM the table.",
        "autovacuum이 따라가지 못합니다. 오래된 트랜잭션을 찾고 그 테이블을 VACUUM 하세요.",
    ),
    "doctor.notifications": (
        "A listener is stuck in an open transaction; find and end it.",
        "수신자가 열린 트랜잭션에 멈춰 있습니다. 찾아서 끝내세요.",
    ),
    "doctor.partitions": (
        "Rows fell into a default partition: no server made the week's in time. Keep one running; see docs/operations.",
        "행이 기본 파티션에 들어갔습니다. 주간 파티션이 제때 만들어지지 않았습니다. 서버를 계속 켜 두세요.",
    ),
    # errors whose reason is said in Korean too; the English one is the error's own docstring
    "error.job_not_found": ("There is no such job.", "그런 작업이 없습니다."),
    "error.bad_id": (
        "This is not an id of ours. Ids look like job_01h2xcejqtf2n.",
        "파발의 ID가 아닙니다. ID는 job_01h2xcejqtf2n처럼 생겼습니다.",
    ),
    "error.id_ambiguous": (
        "More than one id begins like this.",
        "이렇게 시작하는 ID가 여러 개입니다. 글자를 더 적으세요.",
    ),
    "error.no_database": (
        "No database address is set, and the private PostgreSQL does not run.",
        "데이터베이스 주소가 없고 전용 PostgreSQL도 실행 중이 아닙니다.",
    ),
    "error.database_unavailable": ("The database does not answer.", "데이터베이스가 응답하지 않습니다."),
    "error.not_migrated": (
        "The database has not all of Pabal's tables yet.",
        "데이터베이스에 파발의 테이블이 아직 다 없습니다.",
    ),
    "error.not_confirmed": (
        "This cannot be undone, so it asks first; say --yes.",
        "되돌릴 수 없어 먼저 묻습니다. --yes를 붙이세요.",
    ),
    "error.not_retryable": (
        "Only a job that failed, was cancelled, expired or was quarantined can be enqueued again.",
        "실패, 취소, 만료, 격리된 작업만 다시 등록할 수 있습니다.",
    ),
    "error.schedule_not_found": ("There is no such schedule.", "그런 스케줄이 없습니다."),
    "error.in_use": (
        "A server still uses this database. Stop it first.",
        "아직 이 데이터베이스를 쓰는 서버가 있습니다. 먼저 멈추세요.",
    ),
}


def say(lang: Lang, key: str, **values: Any) -> str:
    return WORDS[key][lang == "ko"].format(**values)


def find(lang: Lang, key: str) -> str | None:
    """For words that may be missing: a state or a field somebody else named."""
    found = WORDS.get(key) or _STATES.get(key)
    return None if found is None else found[lang == "ko"]


# one word for one state, here as in the console
_FAMILIES = ("server", "schedule", "occurrence", "job")
_STATES = {f"state.{code}": status.word for family in _FAMILIES for code, status in STATUS[family].items()}
