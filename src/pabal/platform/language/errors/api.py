"""Korean sentences of the endpoints: paging, idempotency, limits, live, files."""

KO: dict[str, str] = {
    "token_unreadable": "앞서 읽은 곳에서 온 값이 아닙니다. 빼고 부르면 지금부터 읽습니다.",
    "too_many_streams": "이 서버가 동시에 보내 줄 수 있는 실시간 연결이 가득 찼습니다. 잠시 뒤 다시 연결하세요.",
    "slow_down": "짧은 시간에 요청이 너무 많습니다. Retry-After만큼 기다린 뒤 다시 보내세요.",
    "no_file": "올린 내용에 파일이 없습니다. file이라는 이름의 항목으로 보내 주세요.",
    "range_not_there": "파일에 그런 범위가 없습니다. 파일의 크기를 확인해 주세요.",
}
