"""What people read for each state, end and verb of the relay: one table for pages, command line and search."""

from pabal.apps.relay.model.messages import End
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

_STATUS: Words = {
    "relay_message": {
        "queued": Status("wait", ("waiting", "대기")),
        "delivered": Status("work", ("handed out", "전달됨")),
        "acked": Status("good", ("answered", "응답함")),
        "expired": Status("fail", ("expired", "만료")),
        "failed": Status("fail", ("failed", "실패")),
    },
    "relay_conversation": {
        "unpaired": Status("end", ("not paired", "연결 안 됨")),
        "pending": Status("attn", ("waiting for approval", "승인 대기")),
        "paired": Status("good", ("paired", "연결됨")),
        "blocked": Status("fail", ("blocked", "차단")),
    },
    "relay_account": {
        "awake": Status("good", ("reading", "읽는 중")),
        "asleep": Status("attn", ("asleep", "쉬는 중")),
        "waiting": Status("wait", ("waiting for pairing", "페어링 대기")),
        "disabled": Status("end", ("switched off", "꺼짐")),
    },
    "relay_reply": {
        "pending": Status("work", ("on its way", "보내는 중")),
        "sent": Status("good", ("with the user", "전달함")),
        "deferred": Status("attn", ("late, kept", "늦은 답 보관")),
        "carried": Status("work", ("goes with the next", "다음 답과 함께")),
        "expired": Status("fail", ("too late", "기한 지남")),
        "failed": Status("fail", ("not delivered", "전달 못 함")),
        "unknown": Status("attn", ("unknown", "확인 필요")),
        "shown": Status("end", ("shown here only", "여기서만 표시")),
    },
    "relay_code": {
        "active": Status("wait", ("active", "사용 가능")),
        "used": Status("good", ("used", "사용함")),
        "revoked": Status("end", ("revoked", "취소함")),
        "expired": Status("end", ("expired", "만료")),
    },
}
_IN_CAPITALS = ("relay_message", "relay_conversation")
STATUS: Words = {
    **_STATUS,
    # the same under the requirement's names
    **{f"{name}_status": {code.upper(): one for code, one in _STATUS[name].items()} for name in _IN_CAPITALS},
}

NAMES: dict[str, Pair] = {
    "relay_conversation": ("conversations", "대화"),
    "relay_message": ("relayed messages", "중계 메시지"),
}

ENDS: dict[End, Pair] = {
    End.CALLED_BACK: ("The answer reached Kakao.", "답이 카카오에 전달됐습니다."),
    End.ANSWERED_DIRECTLY: ("Answered while Kakao waited.", "카카오가 기다리는 동안 바로 답했습니다."),
    End.NOBODY_ANSWERED: ("Nobody answered in time.", "제때 답이 없었습니다."),
    End.ANSWERED_LATE: ("The answer came too late for its callback.", "콜백 시간이 지나 답이 왔습니다."),
    End.REFUSED_BY_KAKAO: ("Kakao refused the answer.", "카카오가 답을 거절했습니다."),
    End.CALLBACK_UNKNOWN: ("Sent, but nobody knows whether it arrived.", "보냈지만 도착했는지 알 수 없습니다."),
    End.CALLBACK_UNREACHABLE: ("Kakao could not be reached.", "카카오에 연결하지 못했습니다."),
    End.ADDRESS_NOT_ALLOWED: ("The callback address is none of Kakao's.", "카카오의 콜백 주소가 아닙니다."),
    End.WITHDRAWN: ("Withdrawn: Kakao could not be told that it was queued.", "카카오에 알리지 못해 거둬들였습니다."),
    End.UNPAIRED: ("The conversation was unpaired, moved or blocked.", "대화 연결이 끊기거나 옮겨지거나 차단됐습니다."),
    End.PUSHED: ("Sent through the Event API.", "이벤트 API로 보냈습니다."),
    End.QUEUE_TIME_OVER: ("The user did not write again in time.", "사용자가 기한 안에 다시 쓰지 않았습니다."),
    End.REPLAYED: (
        "A replay: its answer is shown here and sent to nobody.",
        "재실행한 메시지라 답을 여기에만 표시하고 보내지 않았습니다.",
    ),
    End.QUESTION_ANSWERED: ("The workflow that asked has the answer.", "질문한 워크플로우에 답을 전했습니다."),
    End.QUESTION_WITHDRAWN: (
        "The workflow that asked does not wait for it any more.",
        "질문한 워크플로우가 더는 답을 기다리지 않습니다.",
    ),
}

ACTIONS: dict[str, Pair] = {
    "account_create": ("made a relay account", "중계 계정 만들기"),
    "account_edit": ("edited a relay account", "중계 계정 수정"),
    "account_rotate": ("issued a new relay token", "중계 토큰 새로 발급"),
    "account_disable": ("switched a relay account off", "중계 계정 끄기"),
    "account_enable": ("switched a relay account on", "중계 계정 켜기"),
    "code_new": ("made a pairing code", "페어링 코드 만들기"),
    "code_revoke": ("revoked a pairing code", "페어링 코드 취소"),
    "conversation_approve": ("approved a conversation", "대화 승인"),
    "conversation_reject": ("rejected a conversation", "대화 거절"),
    "conversation_unpair": ("unpaired a conversation", "대화 연결 끊기"),
    "conversation_move": ("moved a conversation", "대화 옮기기"),
    "conversation_block": ("blocked a conversation", "대화 차단"),
    "conversation_unblock": ("unblocked a conversation", "대화 차단 해제"),
    "message_replay": ("replayed a message", "메시지 재실행"),
    "question_ask": ("asked an account in a workflow", "워크플로우에서 계정에 질문"),
}
