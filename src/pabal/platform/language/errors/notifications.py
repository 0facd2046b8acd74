"""The notifications room's errors in Korean, and those of the vault."""

KO: dict[str, str] = {
    "channel_not_found": "그런 알림 채널이 없거나 볼 권한이 없습니다.",
    "channel_name_taken": "이 조직에 같은 이름의 알림 채널이 이미 있습니다. 다른 이름을 쓰세요.",
    "bad_channel": "채널에는 1~100자의 이름, 채팅(숫자 또는 공개 채널의 @이름)이 필요하고, "
    "messaging.* 같은 패턴은 20개까지 쓸 수 있습니다.",
    "bad_token": "봇 토큰이 아닙니다. @BotFather가 주는 123456789:AA… 모양의 글자를 그대로 붙여 넣으세요.",
    "bad_notice": "알림의 이름은 area.thing_verbed 꼴의 소문자이고, 제목은 비어 있을 수 없으며, 링크는 /로 시작합니다.",
    "bad_secret_key": "PABAL_SECRET_KEY는 16자 이상이어야 합니다. `openssl rand -base64 32`로 만드세요. "
    "여러 개는 쉼표로 나누며, 첫 번째로 잠그고 모두로 엽니다.",
    "cannot_unseal": "저장된 비밀을 지금의 PABAL_SECRET_KEY로 열 수 없습니다. 예전 키를 쉼표 뒤에 더해 다시 시작하거나 "
    "비밀을 다시 입력하세요.",
}
