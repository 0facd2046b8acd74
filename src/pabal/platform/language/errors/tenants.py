"""The tree of the organisation, and what a role does not allow."""

KO: dict[str, str] = {
    "not_allowed": "권한이나 토큰으로는 할 수 없는 일입니다. 소속 조직의 관리자에게 권한을 부탁해 주세요.",
    "unit_not_found": "그런 조직이 없거나 볼 권한이 없습니다.",
    "bad_level": "조직은 더 높은 단계 아래에만 둘 수 있습니다. 본사, 총판, 대리점, 지점 순서이고 본사는 하나입니다.",
    "bad_name": "이름은 보이는 글자로 1~100자이고, 같은 조직 바로 아래에 같은 이름이 있으면 안 됩니다.",
    "unit_not_empty": "이 조직에 딸린 조직, 사람 또는 자료가 남아 있습니다. 먼저 옮기거나 지워 주세요.",
    "head_office_only": "회사 전체에 걸친 것이라 본사 사람만 보고 바꿀 수 있습니다.",
}
