"""Korean sentences of the families and of the web."""

KO: dict[str, str] = {
    "not_found": "그런 것이 없거나 볼 권한이 없습니다. 주소를 확인하거나 목록에서 다시 찾아 주세요.",
    "conflict": "그사이 다른 사람이 먼저 바꿨습니다. 새로 고친 뒤 다시 해 주세요.",
    "invalid": "입력한 값을 쓸 수 없습니다. 표시된 곳을 고친 뒤 다시 보내 주세요.",
    "forbidden": "이 일을 할 권한이 없습니다. 조직의 관리자에게 요청하세요.",
    "unavailable": "필요한 것이 지금 응답하지 않습니다. 잠시 뒤 다시 해 주세요.",
    "sign_in_needed": "로그인이 필요합니다. 로그인한 뒤 다시 해 주세요.",
    "token_refused": "이 토큰은 쓸 수 없습니다. 기한이 지났거나 회수되었거나 잘못 적었습니다.",
    "csrf_failed": "이 화면이 오래되었거나 다른 곳에서 보낸 요청입니다. 새로 고친 뒤 다시 해 주세요.",
    "unreadable": "요청을 읽을 수 없습니다. 보낸 형식을 확인해 주세요.",
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
}
