"""The broker room's errors in Korean."""

KO: dict[str, str] = {
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
}
