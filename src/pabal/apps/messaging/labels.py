"""The words of messaging's states: one table for pages, command line and search."""

from pabal.apps.messaging.model import reasons, rooms
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

STATUS: Words = {
    "message_schedule": {
        "active": Status("wait", ("scheduled", "예약됨")),
        "inactive": Status("end", ("inactive", "비활성")),
        "completed": Status("end", ("completed", "완료")),
        "error": Status("fail", ("error", "오류")),
        "deleted": Status("end", ("deleted", "지움")),
    },
    # the places of an open one, then how it ended
    "delivery": {
        "open": Status("wait", ("waiting", "대기")),
        "queued": Status("wait", ("waiting for its turn", "차례 대기")),
        "waiting_for_bot": Status("wait", ("waiting for the bot", "봇 대기")),
        "wrong_secret": Status("attn", ("the phone's secret is wrong", "전화기 비밀값 틀림")),
        "deferred": Status("wait", ("deferred", "미룸")),
        "held": Status("attn", ("held", "보류")),
        "retrying": Status("attn", ("trying again", "다시 시도")),
        "sending": Status("work", ("sending", "발송 중")),
        "sent": Status("good", ("success", "성공")),
        "partial": Status("attn", ("partial", "일부")),
        "unknown": Status("attn", ("unknown", "확인 필요")),
        "missed": Status("attn", ("missed", "놓침")),
        "failed": Status("fail", ("failed", "실패")),
    },
    "delivery_part": {
        "planned": Status("wait", ("not yet", "아직")),
        "writing": Status("work", ("being written", "보내는 중")),
        "written": Status("work", ("written", "보냄")),
        "handled": Status("good", ("handled by the phone", "전화기가 처리함")),
        "seen": Status("good", ("seen in the room", "톡방에 보임")),
        "unknown": Status("attn", ("unknown", "확인 필요")),
    },
    "bot": {
        "online": Status("good", ("connected", "연결됨")),
        "waiting": Status("wait", ("waiting for approval", "승인 대기")),
        "offline": Status("fail", ("not connected", "연결 안 됨")),
        "excluded": Status("end", ("excluded", "제외됨")),
        "wrong_secret": Status("fail", ("wrong secret", "비밀값 틀림")),
    },
    "bot_device": {
        "pending": Status("wait", ("waiting for approval", "승인 대기")),
        "approved": Status("good", ("approved", "승인됨")),
        "denied": Status("end", ("denied", "거절함")),
        "revoked": Status("end", ("revoked", "승인 거둠")),
        "blocked": Status("fail", ("blocked", "막음")),
    },
}

# what its machines are about
NAMES: dict[str, Pair] = {
    "message_schedule": ("message schedules", "메시지 스케줄"),
    "delivery": ("sends", "발송"),
    "bot_device": ("bot devices", "봇 기기"),
}

# what binds a send, by what the engine calls each window
LIMITS: dict[str, Pair] = {window: reasons.name_limit(name) for window, name in rooms.WINDOWS.items()}

# what the audit calls its verbs
ACTIONS: dict[str, Pair] = {
    "create_schedule": ("made a schedule", "스케줄을 만듦"),
    "edit_schedule": ("edited a schedule", "스케줄을 고침"),
    "activate_schedule": ("activated a schedule", "스케줄을 켬"),
    "deactivate_schedule": ("paused a schedule", "스케줄을 멈춤"),
    "delete_schedule": ("deleted a schedule", "스케줄을 지움"),
    "purge_schedule": ("purged a schedule", "스케줄을 로그까지 지움"),
    "skip_schedule": ("skipped one occurrence", "한 번 건너뛰게 함"),
    "keep_schedule": ("took a skip back", "건너뛰기를 되돌림"),
    "send_schedule_now": ("sent now", "지금 보냄"),
    "save_template": ("saved a template", "템플릿을 저장"),
    "edit_template": ("edited a template", "템플릿을 고침"),
    "delete_template": ("deleted a template", "템플릿을 지움"),
    "send_test": ("sent to a test room", "테스트 톡방으로 보냄"),
    "send_missing": ("sent what was missing", "빠진 톡방에 다시 보냄"),
    "save_group": ("made a group of rooms", "톡방 그룹을 만듦"),
    "edit_group": ("edited a group of rooms", "톡방 그룹을 고침"),
    "delete_group": ("deleted a group of rooms", "톡방 그룹을 지움"),
    "resume": ("sent the rest", "이어서 보냄"),
    "dismiss": ("let a missed send be", "놓친 발송을 넘어감"),
    "room_claimed": ("claimed a room", "톡방을 맡음"),
    "room_edited": ("edited a room", "톡방을 고침"),
    "room_released": ("released a room", "톡방을 내놓음"),
    "room_left": ("took a bot out of a room", "톡방에서 봇을 뺌"),
    "bot_edit": ("edited a bot", "봇을 고침"),
    "bot_exclude": ("excluded a bot", "봇을 제외"),
    "bot_include": ("included a bot again", "봇을 다시 넣음"),
    "bot_set_secret": ("set a bot's secret", "봇의 비밀키를 정함"),
    "device_approve": ("approved a device", "기기를 승인"),
    "device_deny": ("denied a device", "기기를 거절"),
    "device_revoke": ("revoked a device", "기기 승인을 거둠"),
    "device_block": ("blocked a device", "기기를 막음"),
    "device_choose": ("let another phone send", "보내는 전화기를 바꿈"),
    "device_unblock": ("unblocked a device", "기기를 풀어 줌"),
}
