"""The settings room's errors in Korean."""

KO: dict[str, str] = {
    "bad_setting": "설정이 잘못 선언되었습니다. 키는 area.name 꼴이고, "
    "기본값은 정해 둔 범위와 선택지 안에 있어야 합니다.",
    "setting_not_found": "그런 설정이 없습니다. 설정 화면에서 모두 볼 수 있습니다.",
    "setting_unreadable": "이 설정의 값으로 읽을 수 없습니다. 수는 숫자로, 시간은 500ms, 20s, 5m, 24h, 35d처럼, "
    "스위치는 true나 false로 적으세요.",
    "setting_out_of_range": "이 설정이 허용하는 것보다 작거나 큰 값입니다. 범위 안에서 고르세요.",
    "setting_not_a_choice": "이 설정에서 고를 수 없는 값입니다. 목록에 있는 것 가운데 고르세요.",
    "setting_changed": "그사이 다른 사람이 이 설정을 바꿨습니다. 지금 값을 보고 다시 정하세요.",
}
