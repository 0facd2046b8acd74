"""What is said to people, in English and Korean. Codes, ids and fields for programs are never translated."""

# long: one entry per sentence
from collections.abc import Mapping
from typing import Any, Literal

Lang = Literal["en", "ko"]

WORDS: Mapping[str, tuple[str, str]] = {
    "error": ("error", "오류"),
    "next": ("next ", "다음 "),
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
    "up.demo": (
        "  Demo      look with: pabal status · pabal jobs list · pabal next --for 1m · pabal machines diagram kettle\n"
        "            move the clock with: pabal clock advance 1h",
        "  데모      살펴보기: pabal status · pabal jobs list · pabal next --for 1m · pabal machines diagram kettle\n"
        "            시계 옮기기: pabal clock advance 1h",
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
    # states
    "state.waiting": ("waiting", "차례 대기"),
    "state.delayed": ("delayed", "지연"),
    "state.ready": ("ready", "준비"),
    "state.running": ("running", "실행 중"),
    "state.moving": ("moving", "이동 중"),
    "state.done": ("done", "완료"),
    "state.partial": ("partial", "일부"),
    "state.failed": ("failed", "실패"),
    "state.cancelled": ("cancelled", "취소"),
    "state.expired": ("expired", "만료"),
    "state.quarantined": ("quarantined", "격리"),
    "state.missed": ("missed", "놓침"),
    "state.skipped": ("skipped", "건너뜀"),
    "state.coalesced": ("coalesced", "합쳐짐"),
    "state.enqueued": ("enqueued", "등록됨"),
    "state.active": ("active", "활성"),
    "state.paused": ("paused", "일시중지"),
    "state.over": ("over", "종료"),
    "state.ok": ("ok", "정상"),
    "state.warn": ("warning", "주의"),
    "state.fail": ("failure", "문제"),
    "state.silent": ("silent", "응답 없음"),
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
    # why
    "why.now": ("now", "지금"),
    "why.enqueued": ("Enqueued.", "등록되었습니다."),
    "why.enqueued_because": ("Enqueued because of {cause}.", "{cause} 때문에 등록되었습니다."),
    "why.for_occurrence": ("For {occurrence}.", "{occurrence}의 작업입니다."),
    "why.attempt_done": ("Done.", "완료했습니다."),
    "why.attempt_partial": ("Done in part: {reason}", "일부만 완료했습니다: {reason}"),
    "why.attempt_failed": ("Failed for good: {reason}", "최종 실패했습니다: {reason}"),
    "why.attempt_cancelled": ("Cancelled while it ran: {reason}", "실행 중에 취소되었습니다: {reason}"),
    "why.attempt_quarantined": (
        "Quarantined: its worker died too often. {reason}",
        "격리되었습니다: 워커가 너무 자주 죽었습니다. {reason}",
    ),
    "why.attempt_retry": ("An attempt failed: {reason}", "시도가 실패했습니다: {reason}"),
    "why.attempt_snoozed": ("Put off by its handler: {reason}", "핸들러가 미뤘습니다: {reason}"),
    "why.attempt_limited": ("Put off by the limit {reason}.", "제한({reason})으로 미뤄졌습니다."),
    "why.attempt_returned": ("Handed back unharmed by worker {worker}.", "워커 {worker}가 그대로 돌려놓았습니다."),
    "why.attempt_lost": ("Worker {worker} died; handed back.", "워커 {worker}가 죽어 되돌려졌습니다."),
    "why.ended_cancelled": ("Cancelled before it ran: {reason}", "실행 전에 취소되었습니다: {reason}"),
    "why.ended_expired": ("Expired: nobody could take it in time.", "만료되었습니다: 제때 맡을 서버가 없었습니다."),
    "why.running": (
        "Running on {host} (worker {worker}). Progress: {progress}",
        "{host}(워커 {worker})에서 실행 중입니다. 진행: {progress}",
    ),
    "why.running_silent": (
        "Was running on worker {worker}, which is silent; it is handed back within seconds.",
        "워커 {worker}에서 실행 중이었으나 응답이 없습니다. 몇 초 안에 되돌려집니다.",
    ),
    "why.cancel_asked": ("Somebody asked to cancel it; it is stopping.", "취소 요청을 받아 멈추는 중입니다."),
    "why.delayed_asked": ("Waits until then, as asked.", "요청한 대로 그때까지 기다립니다."),
    "why.delayed_retry": (
        "Tries again then (failed {failures} of {max_failures} times).",
        "그때 다시 시도합니다({max_failures}번 중 {failures}번 실패).",
    ),
    "why.delayed_snooze": ("Comes back then, as its handler said.", "핸들러가 정한 그때 다시 옵니다."),
    "why.delayed_limit": ("Waits until then for its {reason}.", "제한({reason}) 때문에 그때까지 기다립니다."),
    "why.delayed_other": ("Waits until then: {reason}.", "그때까지 기다립니다: {reason}."),
    "why.waits_for_lane": (
        "Waits for its turn in lane {lane}, held by {holder} ({holder_state}).",
        "레인 {lane}에서 차례를 기다립니다. 지금은 {holder}({holder_state})의 차례입니다.",
    ),
    "why.ahead_in_lane": ("{ahead} more stand before it in the lane.", "레인에서 앞에 {ahead}개가 더 있습니다."),
    "why.lane_moving": (
        "Lane {lane} is being handed on; {ahead} stand before it.",
        "레인 {lane}이 넘어가는 중입니다. 앞에 {ahead}개.",
    ),
    "why.waits_for_slot": (
        "Ready in queue {queue}; {ahead} are before it.",
        "큐 {queue}에서 준비됨. 앞에 {ahead}개 있습니다.",
    ),
    "why.route_absent": (
        "Ready, but no server holds the connection {route}.",
        "준비되었지만 {route} 연결을 가진 서버가 없습니다.",
    ),
    "why.kind_unknown": (
        "None of the {servers} running server(s) knows the kind {kind}.",
        "실행 중인 서버 {servers}대 중 {kind} 종류를 아는 서버가 없습니다.",
    ),
    "why.no_server": ("No server that runs jobs is alive.", "작업을 실행할 서버가 살아 있지 않습니다."),
    "why.no_scheduler": ("No server with the role scheduler is alive.", "scheduler 역할의 서버가 살아 있지 않습니다."),
    "why.will_expire": ("Expires then if nobody has taken it.", "그때까지 아무도 맡지 않으면 만료됩니다."),
    "why.moving": ("Is just being moved.", "지금 옮겨지는 중입니다."),
    "why.schedule_created": ("Created; it enqueues {kind}.", "만들어졌습니다. {kind} 작업을 등록합니다."),
    "why.schedule_paused": ("Paused by {actor}.", "{actor}이(가) 일시중지했습니다."),
    "why.schedule_broken": ("Paused by the engine: {problem}", "엔진이 일시중지했습니다: {problem}"),
    "why.schedule_over": ("No moment is ahead of it any more.", "앞으로 예정된 시각이 없습니다."),
    "why.schedule_next": ("Fires next.", "다음 실행입니다."),
    "why.schedule_due": ("Is due.", "실행할 때가 되었습니다."),
    "why.occurrence_enqueued": ("{occurrence}: enqueued {job} ({reason}).", "{occurrence}: {job} 등록({reason})."),
    "why.occurrence_skipped": ("{occurrence}: skipped ({reason}).", "{occurrence}: 건너뜀({reason})."),
    "why.occurrence_skipped_run": (
        "{count} moments from {fire_at} to {through}: skipped ({reason}).",
        "{fire_at}부터 {through}까지 {count}번: 건너뜀({reason}).",
    ),
    "why.occurrence_coalesced": (
        "{occurrence}: runs together with {into_at} ({reason}).",
        "{occurrence}: {into_at}에 합쳐짐({reason}).",
    ),
    "why.occurrence_coalesced_run": (
        "{count} moments from {fire_at} to {through}: run together with {into_at} ({reason}).",
        "{fire_at}부터 {through}까지 {count}번: {into_at}에 합쳐짐({reason}).",
    ),
    "why.occurrence_ended_done": ("{occurrence}: done.", "{occurrence}: 완료."),
    "why.occurrence_ended_partial": ("{occurrence}: done in part ({reason}).", "{occurrence}: 일부 완료({reason})."),
    "why.occurrence_ended_failed": ("{occurrence}: failed ({reason}).", "{occurrence}: 실패({reason})."),
    "why.occurrence_ended_missed": ("{occurrence}: missed ({reason}).", "{occurrence}: 놓침({reason})."),
    "why.occurrence_ended_cancelled": ("{occurrence}: cancelled ({reason}).", "{occurrence}: 취소({reason})."),
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
    found = WORDS.get(key)
    return None if found is None else found[lang == "ko"]
