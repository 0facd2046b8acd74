"""What is said to people, in English and Korean. Codes, ids and fields for programs are never translated."""

# long: one entry per sentence
from collections.abc import Mapping
from typing import Any

from pabal.platform.language.pairs import Lang, put
from pabal.platform.language.status import STATUS, Status

WORDS: Mapping[str, tuple[str, str]] = {
    "error": ("error", "오류"),
    "next": ("next ", "다음 "),
    "now": ("now", "지금"),
    "hint.why": ("More: pabal why {id}", "더 보기: pabal why {id}"),
    "dry_run": (
        "Tried and taken back (--dry-run): nothing has changed.",
        "해 보고 되돌렸습니다(--dry-run). 바뀐 것은 없습니다.",
    ),
    "wait.step": ("  {step}", "  {step}"),
    "hint.up": ("Start one: pabal up", "시작하려면: pabal up"),
    # starting and stopping
    "up.postgres_new": (
        "Making a private PostgreSQL in {folder} …",
        "{folder}에 전용 PostgreSQL을 만들고 있습니다 …",
    ),
    "up.postgres": ("Starting the private PostgreSQL in {folder} …", "{folder}의 전용 PostgreSQL을 켜고 있습니다 …"),
    "up.tables": (
        "Tables brought up to date ({n} step).|Tables brought up to date ({n} steps).",
        "테이블을 최신으로 맞췄습니다({n}단계).",
    ),
    "up.stopped": ("Pabal has stopped.", "파발을 멈췄습니다."),
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
    "up.demo_here": (
        "            they sign in on this machine only (in a container or behind a proxy: --demo-from-anywhere)",
        "            이 컴퓨터에서만 로그인할 수 있습니다(컨테이너 안이나 프록시 뒤라면 --demo-from-anywhere)",
    ),
    "up.demo_from_anywhere": (
        "  WARNING   --demo-from-anywhere: whoever reaches this address is the head office with that password.\n"
        "            Use it only with a database that holds nothing real.",
        "  경고      --demo-from-anywhere: 이 주소에 닿는 사람은 누구나 그 비밀번호로 본사 관리자가 될 수 있습니다.\n"
        "            실제 데이터가 없는 데이터베이스에서만 쓰세요.",
    ),
    "up.every_proxy": (
        "  WARNING   PABAL_TRUSTED_PROXIES trusts everybody: whoever connects may say any address and https.\n"
        "            Name your proxies instead, such as 127.0.0.1,10.0.0.0/24.",
        "  경고      PABAL_TRUSTED_PROXIES가 모두를 믿습니다. 누구나 접속하면서 주소와 https를 꾸며 댈 수 있습니다.\n"
        "            127.0.0.1,10.0.0.0/24처럼 프록시의 주소를 적으세요.",
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
    "jobs.cancel.ask": ("Cancel {count} job(s)?", "작업 {count}개를 취소할까요?"),
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
    # the organisation, people, tokens
    "org.none": ("No units yet: pabal up", "아직 조직이 없습니다: pabal up"),
    "user.added": (
        "They sign in with a one-time address first: pabal user link {login}",
        "처음에는 일회용 주소로 들어옵니다: pabal user link {login}",
    ),
    "user.link": (
        "Signs {user} in, once, until {until}:",
        "{user} 사용자가 {until}까지 한 번 로그인할 수 있습니다:",
    ),
    "user.reset.ask": (
        "Void the password, all sessions and all tokens of {user}?",
        "{user} 사용자의 비밀번호와 로그인, 만든 토큰을 모두 무효로 할까요?",
    ),
    "token.role": (
        "Its role is ‘{role}’: whatever its scopes say, it may do no more than that. Another one: --role.",
        "역할은 ‘{role}’입니다. 범위를 넓게 적어도 이 역할까지만 할 수 있습니다. 다른 역할은 --role로 정하세요.",
    ),
    "token.once": (
        "This secret is shown only now: keep it where the program finds it.",
        "비밀값은 지금만 보입니다. 프로그램이 찾을 곳에 보관하세요.",
    ),
    # settings
    "config.none": ("No such settings.", "그런 설정이 없습니다."),
    "config.same": ("Everything is at its default.", "모두 기본값입니다."),
    "config.restart": ("Takes hold when the servers start again.", "서버를 다시 시작하면 적용됩니다."),
    "config.unknown": (
        "Values of settings that no loaded app has: {keys}",
        "불러온 앱에 없는 설정의 값: {keys}",
    ),
    # backups, alerts, notices, channels, the audit, facts
    "backup.asked": ("Asked for as {job}; waiting.", "{job}(으)로 요청했습니다. 기다립니다."),
    "channel.token": ("Token of the bot, as @BotFather gave it", "@BotFather가 준 봇 토큰"),
    "channel.which": (
        "Say one of --chat (Telegram), --url (webhook) or --to (e-mail).",
        "--chat(텔레그램), --url(웹훅), --to(메일) 가운데 하나를 주세요.",
    ),
    "channel.replay_which": (
        "Say --delivery or --since, and not both.",
        "--delivery와 --since 가운데 하나만 주세요.",
    ),
    "channel.once": (
        "The secret is shown only now: put it where the receiver checks the signature.",
        "비밀 값은 지금만 보입니다. 받는 쪽에서 서명을 확인하는 곳에 넣어 두세요.",
    ),
    "channel.added": ("Try it: pabal channel test {id}", "시험해 보세요: pabal channel test {id}"),
    "tail.none": ("No facts yet.", "아직 사실이 없습니다."),
    # the demo, the overview, simulators
    "demo.clear.ask": (
        "Take out the demo's organisation, its people and what the apps added?",
        "데모 조직과 사용자, 앱이 더한 것을 모두 지울까요?",
    ),
    "demo.loaded": (
        "People: demo-hq, demo-busan, demo-haeundae, demo-yeoksam; password: {password}\n"
        "They can sign in only on a server started with `pabal up --demo`.",
        "사용자: demo-hq, demo-busan, demo-haeundae, demo-yeoksam, 비밀번호: {password}\n"
        "`pabal up --demo`로 시작한 서버에서만 로그인할 수 있습니다.",
    ),
    "top.servers": ("Servers", "서버"),
    "top.next": ("The next hour", "앞으로 한 시간"),
    "top.needs": ("{n} thing needs you|{n} things need you", "확인할 것 {n}개"),
    "top.nothing": ("Nothing needs you.", "확인할 것이 없습니다."),
    "sim.telegram": (
        "Start Pabal with this address; what arrives is at {url}/sent. Stop: Ctrl-C",
        "이 주소로 파발을 시작하세요. 도착한 것은 {url}/sent 에 있습니다. 멈추기: Ctrl-C",
    ),
    # words for codes
    "yes": ("yes", "예"),
    "no": ("no", "아니요"),
    "beyond.above": ("above", "넘으면"),
    "beyond.below": ("below", "밑돌면"),
    "what.job": ("job", "작업"),
    "what.schedule": ("schedule", "스케줄"),
    "what.timer": ("timer", "타이머"),
    "level.hq": ("HQ", "본사"),
    "level.distributor": ("distributor", "총판"),
    "level.agency": ("agency", "대리점"),
    "level.branch": ("branch", "지점"),
    "level.info": ("info", "안내"),
    "level.attention": ("attention", "주의"),
    "level.failure": ("failure", "실패"),
    "role.viewer": ("viewer", "조회"),
    "role.operator": ("operator", "운영"),
    "role.admin": ("administrator", "관리"),
    "severity.attention": ("! attention", "! 주의"),
    "severity.failure": ("✕ failure", "✕ 실패"),
    "severity.down": ("✕ down", "✕ 멈춤"),
    "severity.missing": ("✕ missing now", "✕ 지금 놓치는 중"),
    # results that no status table has
    "state.would_load": ("would be loaded", "불러올 예정(변경 없음)"),
    "state.loaded": ("loaded", "불러옴"),
    "state.loaded_before": ("was loaded before", "이미 있음"),
    "state.would_clear": ("would be cleared", "지울 예정(변경 없음)"),
    "state.cleared": ("cleared", "지움"),
    "state.signalled": ("signalled", "신호 보냄"),
    "state.ended_before": ("had ended before", "이미 끝남"),
    "state.would_cancel": ("would be cancelled", "취소 예정(변경 없음)"),
    "state.not_found": ("not found", "없음"),
    # columns
    "column.tree": ("UNIT", "조직"),
    "column.level": ("LEVEL", "단계"),
    "column.is_demo": ("DEMO", "데모"),
    "column.role": ("ROLE", "역할"),
    "column.org": ("UNIT", "조직"),
    "column.secret": ("SECRET", "비밀값"),
    "column.scopes": ("SCOPES", "범위"),
    "column.expires_at": ("UNTIL", "기한"),
    "column.key": ("KEY", "키"),
    "column.value": ("VALUE", "값"),
    "column.default": ("DEFAULT", "기본값"),
    "column.seed": ("SEED", "원본 값"),
    "column.label": ("WHAT", "이름"),
    "column.changed_by": ("CHANGED BY", "바꾼 사람"),
    "column.changed_at": ("CHANGED", "바꾼 때"),
    "column.problem": ("PROBLEM", "문제"),
    "column.folder": ("FOLDER", "폴더"),
    "column.reason": ("REASON", "이유"),
    "column.job": ("JOB", "작업"),
    "column.is_new": ("NEW", "새로 등록"),
    "column.threshold": ("LIMIT", "기준"),
    "column.beyond": ("BEYOND", "방향"),
    "column.last_fired_at": ("LAST FIRED", "마지막 발생"),
    "column.silenced_until": ("SILENCED UNTIL", "무음 끝"),
    "column.title": ("TITLE", "제목"),
    "column.text": ("TEXT", "내용"),
    "column.times": ("TIMES", "횟수"),
    "column.subject": ("SUBJECT", "대상"),
    "column.units": ("UNITS", "조직 수"),
    "column.people": ("PEOPLE", "사람 수"),
    "column.apps": ("APPS", "앱"),
    "column.severity": ("NEEDS", "정도"),
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
    "doctor.pooler": (
        "Set PABAL_DATABASE_URL to PostgreSQL's own address; a pooler's address belongs in PABAL_PAGES_URL.",
        "PABAL_DATABASE_URL에는 PostgreSQL의 주소를 적으세요. 풀러의 주소는 PABAL_PAGES_URL에 적습니다.",
    ),
    "doctor.pages": (
        "Correct PABAL_PAGES_URL (the same database; a pooler in session or transaction mode), or leave it empty.",
        "PABAL_PAGES_URL을 고치거나(같은 데이터베이스, 세션 또는 트랜잭션 모드의 풀러) 비워 두세요.",
    ),
    "doctor.newer": (
        "A newer version has migrated this database: install that version here, or restore a backup from before.",
        "더 새로운 버전이 이 데이터베이스를 마이그레이션했습니다. 그 버전을 설치하거나 이전 백업을 복원하세요.",
    ),
    "doctor.changed": (
        "These migrations were edited after they had been applied here: put their texts back.",
        "이미 적용한 마이그레이션이 수정되었습니다. 원래 내용으로 되돌리세요.",
    ),
    "doctor.unloaded": (
        "Tables of apps that are not loaded; their jobs wait. Load the apps (PABAL_APPS, --app), or leave the tables.",
        "불러오지 않은 앱의 테이블입니다. 그 앱의 작업은 기다립니다. 앱을 불러오거나(PABAL_APPS, --app) 그대로 두세요.",
    ),
    "doctor.version": ("Use PostgreSQL 15, 16, 17 or 18.", "PostgreSQL 15, 16, 17, 18 중 하나를 쓰세요."),
    "doctor.migrations": ("pabal db migrate", "pabal db migrate"),
    "doctor.clock": (
        "Synchronise this machine's clock (chrony, ntp). Pabal itself goes by the database's.",
        "이 컴퓨터의 시계를 맞추세요(chrony, ntp). 파발은 데이터베이스 시계를 따릅니다.",
    ),
    "doctor.listen": (
        "NOTIFY does not arrive: something between here and PostgreSQL drops it. Until it does, Pabal polls.",
        "NOTIFY가 오지 않습니다. PostgreSQL까지 가는 길에서 사라집니다. 그동안은 주기적으로 확인합니다.",
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
    "doctor.routes": (
        "What waits for these connections does not go out: do what is said there.",
        "이 연결을 기다리는 작업은 나가지 않습니다. 적힌 대로 고치세요.",
    ),
    "doctor.secret": (
        "Set PABAL_SECRET_KEY (openssl rand -base64 32), or give the key file to the user who runs Pabal (chmod 600).",
        "PABAL_SECRET_KEY를 정하거나(openssl rand -base64 32) 키 파일을 파발 실행 사용자에게 넘기세요(chmod 600).",
    ),
    "doctor.proxies": (
        "Name the addresses of your proxies in PABAL_TRUSTED_PROXIES instead of *.",
        "PABAL_TRUSTED_PROXIES에 * 대신 프록시의 주소를 적으세요.",
    ),
    "doctor.files": (
        "Give the folder of files to the user who runs Pabal (chown, chmod 755).",
        "파일 폴더를 파발 실행 사용자에게 넘기세요(chown, chmod 755).",
    ),
    "doctor.assets": (
        "The console would be without styles: build them with `make assets`, or install the wheel.",
        "콘솔에 모양이 없습니다. `make assets`로 만들거나 배포 패키지를 설치하세요.",
    ),
    "doctor.backups": ("Take one: pabal backup take", "백업하세요: pabal backup take"),
    "doctor.settings": (
        "Values of settings that no loaded app has; they do nothing. Load the app, or leave them.",
        "불러온 앱에 없는 설정의 값입니다. 아무 일도 하지 않습니다. 앱을 불러오거나 그대로 두세요.",
    ),
    "doctor.telegram": (
        "Notices wait until it answers: check the network and PABAL_TELEGRAM_URL.",
        "응답할 때까지 알림이 기다립니다. 네트워크와 PABAL_TELEGRAM_URL을 확인하세요.",
    ),
    "doctor.partitions": (
        "Rows fell into a default partition: no server made the week's in time. Keep one running; see docs/operations.",
        "행이 기본 파티션에 들어갔습니다. 주간 파티션이 제때 만들어지지 않았습니다. 서버를 계속 켜 두세요.",
    ),
}


# One word for one state, here as in the console; where families share a code, a job's comes first.
_FAMILIES = ("alert", "server", "schedule", "occurrence", "job")
STATES: Mapping[str, Status] = {
    **{code: status for family in _FAMILIES for code, status in STATUS[family].items()},
    "warn": Status("attn", ("warning", "주의")),
    "fail": Status("fail", ("failure", "문제")),
}


def say(lang: Lang, key: str, **values: Any) -> str:
    return put(lang, WORDS[key], **values)


def find(lang: Lang, key: str) -> str | None:
    """For words that may be missing: a state or a field somebody else named."""
    found = WORDS.get(key)
    if found is None and key.startswith("state."):
        status = STATES.get(key.removeprefix("state."))
        found = None if status is None else status.word
    return None if found is None else found[lang == "ko"]
