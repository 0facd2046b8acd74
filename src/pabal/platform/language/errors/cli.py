"""What only the command line refuses, in Korean."""

KO: dict[str, str] = {
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
    "slices_clash": "두 앱이 같은 이름을 씁니다. 앱, 상태 기계, 구독자의 이름은 한 번씩만 씁니다.",
    "no_port": "쓸 수 있는 포트가 없습니다.",
    "web_stopped": "웹 서버가 저절로 끝났습니다. 로그를 보세요.",
}
