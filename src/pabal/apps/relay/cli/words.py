"""What `pabal relay` says besides what is described, in English and Korean, and the next command after an error."""

from collections.abc import Mapping

from pabal.platform.language.pairs import Pair

TOKEN_ONCE: Pair = (
    "This token is shown only now: put it into the instance's settings.",
    "토큰은 지금만 보입니다. 인스턴스 설정에 바로 넣으세요.",
)
SEND_THIS: Pair = (
    "Let the user send this to the channel in KakaoTalk, or scan the code and copy it. It works once.",
    "사용자가 카카오톡 채널에 아래 글을 보내거나 QR을 찍어 복사하면 됩니다. 한 번만 쓸 수 있습니다.",
)

_ACCOUNTS, _CODES, _CONVERSATIONS = "pabal relay account list", "pabal relay pair list", "pabal relay conv list"
NEXT: Mapping[str, str] = {
    "account_disabled": "pabal relay account enable ACCOUNT",
    "account_enabled": _ACCOUNTS,
    "account_not_found": _ACCOUNTS,
    "account_not_paired": _ACCOUNTS,
    "bad_account": "pabal relay account new --help",
    "bad_code_life": "pabal relay pair new ACCOUNT --for 10m",
    "code_ended": "pabal relay pair new ACCOUNT",
    "code_not_found": _CODES,
    "conversation_not_found": _CONVERSATIONS,
    "message_not_found": "pabal relay msg list",
    "move_not_allowed": "pabal relay conv show CONVERSATION",
    "name_ambiguous": "the same with its id",
    "nothing_to_replay": "pabal relay msg list",
    "openclaw_user_taken": _ACCOUNTS,
    "same_account": _CONVERSATIONS,
    "too_many_codes": _CODES,
}
