"""Messaging's errors in Korean, by code. English is each error's docstring."""

KO: dict[str, str] = {
    # listener
    "bad_packet": "봇 클라이언트가 규약에 맞지 않는 내용을 보내 연결을 끊었습니다. 다시 연결할 수 있습니다.",
    "handshake_incomplete": "봇이 누구인지 밝히지 않았습니다. botName(1~30자), version, deviceID가 필요합니다.",
    "bot_gone": "봇과의 연결이 끊겼습니다. 봇은 스스로 다시 연결합니다. 돌아오지 않으면 전화기를 확인하세요.",
    "bot_port_taken": "봇을 받을 포트를 쓸 수 없습니다. 대개 다른 프로그램이나 다른 Pabal 서버가 쓰고 있습니다. "
    "이 서버에 다른 포트(PABAL_BOTS_PORT)를 주고 전화기의 서버 목록에도 적으세요.",
    # bots and rooms
    "bot_not_found": "그런 봇이 없거나 볼 권한이 없습니다.",
    "device_not_found": "그런 기기가 없거나 볼 권한이 없습니다.",
    "room_not_found": "그런 톡방이 없거나 볼 권한이 없습니다.",
    "room_claimed": "이미 누군가 맡은 톡방입니다. 고치거나, 먼저 내놓게 하세요.",
    "room_known": "이 채널ID의 톡방은 이미 알려져 있습니다. 보이지 않으면 본사에 맡겨 달라고 하세요.",
    "room_in_use": "이 톡방으로 보내는 스케줄이 있습니다. 먼저 지우거나 다른 톡방으로 바꾸세요.",
    "bad_room": "톡방 이름은 1~200자, 채널ID는 1~100자, 메모는 500자까지, 제한은 0 이상이어야 합니다.",
    "bad_exclusion": "봇에 보내지 않는 까닭을 1~200자로 적으세요.",
    "bad_bot_secret": "봇의 비밀값은 8~200자, 솔트는 200자까지입니다. 서명을 더 받지 않으려면 둘 다 비우세요.",
    "too_many_devices": "결정을 기다리는 기기가 너무 많아 이 기기를 받지 않았습니다. "
    "봇 화면에서 먼저 승인하거나 차단하세요.",
    "device_moved": "보는 사이에 이 기기가 다른 주소에서 연결했습니다. 어디서 왔는지 확인하고 다시 정하세요.",
    "bot_excluded": "이미 제외한 봇입니다.",
    "bot_included": "제외하지 않은 봇입니다.",
    # schedules and templates
    "schedule_not_found": "그런 스케줄이 없거나 볼 권한이 없습니다.",
    "template_not_found": "그런 템플릿이 없거나 볼 권한이 없습니다.",
    "content_refused": "이대로는 저장할 수 없습니다. 잘못된 곳은 각 항목 옆에 적었습니다.",
    "schedule_refused": "이대로는 예약할 수 없습니다. 각 항목 옆에 적힌 것을 고치고 다시 저장하세요.",
    "template_refused": "이대로는 템플릿을 저장할 수 없습니다. 각 항목 옆에 적힌 것을 고치고 다시 저장하세요.",
    "schedule_changed": "보는 사이에 다른 사람이 이 스케줄을 바꿨습니다. 다시 보고 정하세요.",
    "schedule_over": "보낼 시각이 남지 않은 스케줄입니다. 날짜나 유효기간을 늦추면 다시 켜집니다.",
    "schedule_busy": "이 스케줄의 메시지를 지금 보내는 중입니다. 끝난 뒤에 완전히 지우세요.",
    "template_name_taken": "이 조직에 같은 이름의 템플릿이 있습니다. 이름을 바꾸거나 그 템플릿을 고치세요.",
    "no_picture": "올라온 그림이 없습니다. 그림을 골라 다시 넣으세요.",
    "bad_hours": "시간대는 09:00-12:59처럼 적고, 여럿이면 쉼표로 나누세요. 00:00부터 23:59까지 쓸 수 있습니다.",
    # deliveries
    "delivery_not_found": "그런 발송이 없거나 볼 권한이 없습니다.",
    "archive_not_found": "그 달의 보관 파일이 없습니다. 보낼 것이 있던 달은 다음 달 3일에 보관합니다.",
    "not_a_test_room": "테스트 톡방이 아닙니다. 테스트 톡방을 고르거나, 톡방 화면에서 테스트로 바꾸세요.",
    "bot_not_in_room": "지금 보낼 수 있는 봇이 이 톡방에 없습니다. "
    "봇을 초대하고 톡방에 글을 하나 남긴 뒤 다시 해 보세요.",
    "nothing_to_resume": "보낼 수 있는 것은 모두 보냈습니다. "
    "도착했는지 알 수 없는 부분은 다시 보내기를 골라야 보냅니다.",
    "not_over": "아직 보내는 중이거나 제대로 보낸 발송입니다. 넘길 것이 없습니다.",
    # simulator
    "bad_bot_server": "봇 서버는 호스트:포트로 적으세요. 예: 127.0.0.1:1490",
    "bad_arrivals_file": "도착한 것을 적을 파일에 쓸 수 없습니다.",
    "bad_simulated_room": "시뮬레이터의 톡방은 이름=채널ID로 적으세요. 예: 해운대점=18390001",
    # statistics
    "statistics_not_found": "그런 통계 표가 없습니다. 통계 화면에 있는 표만 내보낼 수 있습니다.",
    "unknown_decision": "기기는 승인, 거절, 승인 거두기, 막기, 막기 풀기만 할 수 있습니다.",
    # command line
    "bad_file": "파일을 읽을 수 없습니다. 있는 파일을 적으세요. 글은 UTF-8이어야 합니다.",
    "bad_when": "언제 보낼지 하나만 적으세요: --at '2026-07-03 09:00', --daily 09:00, --weekly '월,목 09:00'. "
    "시간대는 Asia/Seoul처럼 적습니다.",
    "no_server_folder": "서버의 파일이 여기에 없어 그림을 넣어도 서버가 찾지 못합니다. 서버의 폴더에서 하거나 "
    "PABAL_DATA_DIR을 서버와 같게 정하세요.",
}
