"""The backup room's errors in Korean."""

KO: dict[str, str] = {
    "backup_not_found": "그런 백업이 없거나, 오래되어 지워졌습니다.",
    "backup_not_whole": "아직 만드는 중이거나 실패한 백업이라 검사할 것이 없습니다. 성공한 백업을 고르세요.",
    "scratch_forbidden": "복원 검사에는 임시 데이터베이스가 필요한데, "
    "파발의 데이터베이스 사용자에게 만들 권한이 없습니다. ALTER ROLE … CREATEDB로 허용하거나 주간 검사를 끄세요.",
    "bad_time_of_day": "시각은 00:00부터 23:59까지, 시와 분으로 적으세요.",
}
