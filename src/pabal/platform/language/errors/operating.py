"""What operating the engine refuses, in Korean."""

KO: dict[str, str] = {
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
}
