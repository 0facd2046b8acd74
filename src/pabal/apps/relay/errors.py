"""What can go wrong in the relay, in words for those who must act on it. Instances read the codes in capitals."""

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, PabalError, Unavailable
from pabal.platform.findings import FieldsRefused

# people


class AccountNotFound(NotFound, code="account_not_found"):
    """There is no such account, or it is not yours to see."""


class ConversationNotFound(NotFound, code="conversation_not_found"):
    """There is no such conversation, or it is not yours to see."""


class MessageNotFound(NotFound, code="message_not_found"):
    """There is no such message, or it is not yours to see."""


class CodeNotFound(NotFound, code="code_not_found"):
    """There is no such pairing code, or it is not yours to see."""


class BadAccount(Invalid, code="bad_account"):
    """An account has a name of 1 to 100 characters, an OpenClaw user of 1 to 200, and a limit from 1 to 1,000,000."""


class AccountNameTaken(Conflict, code="openclaw_user_taken"):
    """There is an account of this OpenClaw user already. Choose another name for it."""


class AccountDisabled(Conflict, code="account_disabled"):
    """This account is switched off. Switch it on first."""


class AccountEnabled(Conflict, code="account_enabled"):
    """This account is not switched off."""


class TooManyCodes(Conflict, code="too_many_codes"):
    """The account has as many active codes as it may have. Revoke one, or wait until one has ended."""


class CodeEnded(Conflict, code="code_ended"):
    """This code was used, revoked, or is over; there is nothing to revoke."""


class BadCodeLife(Invalid, code="bad_code_life"):
    """A pairing code lives for 60 seconds to a day."""


class SameAccount(Conflict, code="same_account"):
    """The conversation is paired with this account already."""


class NothingToReplay(Conflict, code="nothing_to_replay"):
    """The message has no text, so that there is nothing to replay."""


class AccountNotPaired(Conflict, code="account_not_paired"):
    """Nobody has paired with this account yet, so that its instance may not answer. Choose another account."""


# instances


class TokenMissing(Forbidden, code="token_missing"):
    """The request names no token. Send it as `Authorization: Bearer …`."""

    status = 401


class TokenInvalid(Forbidden, code="token_invalid"):
    """This token is not known, or was replaced. Use the account's newest one, or pair again."""

    status = 401


class InstanceDisabled(Forbidden, code="instance_disabled"):
    """The account of this token is switched off. Ask whoever runs the relay."""

    status = 401


class SessionNotPaired(Forbidden, code="session_not_paired"):
    """Nobody has paired with this session yet. Send its code from KakaoTalk first."""

    status = 403


class RelaySessionNotFound(NotFound, code="relay_session_not_found"):
    """There is no such session. Create a new one."""


class SessionsClosed(Forbidden, code="sessions_closed"):
    """Instances cannot come by themselves here. Ask whoever runs the relay for a token."""


class LetterNotFound(NotFound, code="letter_not_found"):
    """There is no such message in your mailbox."""


class NotYourConversation(NotFound, code="not_your_conversation"):
    """No conversation of yours has this key."""


class WrongConversation(Invalid, code="wrong_conversation"):
    """The message belongs to another conversation than the one named. Nothing was sent."""

    status = 400


class ReplyRefused(FieldsRefused, code="reply_refused"):
    """Kakao could not show this reply. What is wrong is said beside each part; fix it and send it again."""


class ReplyTooLarge(Invalid, code="reply_too_large"):
    """A reply has 100 KB at most."""

    status = 413


class CallbackExpired(PabalError, code="callback_expired"):
    """The callback address of this message is over, so that its answer reaches nobody any more."""

    # never 401 or 410: the published plugin would take its session for dead
    status = 400


class RelayRateLimited(Unavailable, code="rate_limited"):
    """The account asked more often than it may in a minute. Wait as long as Retry-After says."""

    status = 429

    def __init__(self, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__()


class TooManySessions(Unavailable, code="too_many_sessions"):
    """Too many sessions were asked for from this address. Try again in a few minutes."""

    status = 429
    retry_after = 300


class TooManyLooks(Unavailable, code="too_many_looks"):
    """This was asked for too often from this address. Try again in a minute."""

    status = 429
    retry_after = 60


class TooManyReaders(Unavailable, code="too_many_readers"):
    """This server has as many readers as it can. Try again in a moment, or ask another server."""

    retry_after = 5


# Kakao


class SecretWrong(Forbidden, code="secret_wrong"):
    """This webhook wants a secret header, and the request has none, or another. Set it in the skill's settings."""


# simulator


class NoSimulator(Forbidden, code="no_simulator"):
    """Chatting as a KakaoTalk user is for accounts of the demo, on a server that was started with --demo."""


KO: dict[str, str] = {
    "account_not_found": "그런 계정이 없거나 볼 권한이 없습니다.",
    "conversation_not_found": "그런 대화가 없거나 볼 권한이 없습니다.",
    "message_not_found": "그런 메시지가 없거나 볼 권한이 없습니다.",
    "code_not_found": "그런 페어링 코드가 없거나 볼 권한이 없습니다.",
    "bad_account": "계정 이름은 1~100자, OpenClaw 사용자는 1~200자, 분당 한도는 1~1,000,000이어야 합니다.",
    "openclaw_user_taken": "이 OpenClaw 사용자의 계정이 이미 있습니다. 다른 이름을 쓰세요.",
    "account_disabled": "꺼 둔 계정입니다. 먼저 켜세요.",
    "account_enabled": "꺼 두지 않은 계정입니다.",
    "too_many_codes": "이 계정의 활성 코드가 가득 찼습니다. 하나를 취소하거나 만료될 때까지 기다리세요.",
    "code_ended": "이미 사용했거나 취소했거나 만료된 코드입니다.",
    "bad_code_life": "페어링 코드의 유효 시간은 60초에서 하루까지입니다.",
    "same_account": "이미 이 계정과 페어링된 대화입니다.",
    "nothing_to_replay": "글이 없는 메시지라 재실행할 것이 없습니다.",
    "account_not_paired": "아직 아무도 페어링하지 않아 답할 수 없는 계정입니다. 다른 계정을 고르세요.",
    "token_missing": "요청에 토큰이 없습니다. `Authorization: Bearer …`로 보내세요.",
    "token_invalid": "알 수 없거나 교체된 토큰입니다. 계정의 새 토큰을 쓰거나 다시 페어링하세요.",
    "instance_disabled": "이 토큰의 계정은 꺼져 있습니다. 중계 서버 담당자에게 문의하세요.",
    "session_not_paired": "아직 아무도 이 세션과 페어링하지 않았습니다. 카카오톡에서 코드를 먼저 보내세요.",
    "relay_session_not_found": "그런 세션이 없습니다. 새로 만드세요.",
    "sessions_closed": "여기서는 인스턴스가 스스로 연결할 수 없습니다. 담당자에게 토큰을 받으세요.",
    "letter_not_found": "받은 메시지 가운데 그런 메시지가 없습니다.",
    "not_your_conversation": "이 키를 가진 대화가 없습니다.",
    "wrong_conversation": "적은 대화의 메시지가 아닙니다. 아무것도 보내지 않았습니다.",
    "reply_refused": "카카오가 보여 줄 수 없는 답입니다. 각 항목 옆에 적힌 것을 고치고 다시 보내세요.",
    "reply_too_large": "답은 100KB까지입니다.",
    "callback_expired": "카카오 응답 시간이 지나 이 답을 전할 수 없습니다.",
    "rate_limited": "분당 요청 한도를 넘었습니다. Retry-After만큼 기다리세요.",
    "too_many_sessions": "이 주소에서 세션을 너무 많이 요청했습니다. 몇 분 뒤 다시 해 보세요.",
    "too_many_looks": "이 주소에서 너무 자주 물었습니다. 1분 뒤 다시 해 보세요.",
    "too_many_readers": "이 서버에 연결이 가득 찼습니다. 잠시 뒤 다시 하거나 다른 서버를 쓰세요.",
    "secret_wrong": "이 웹훅에는 비밀 헤더가 필요합니다. 스킬 설정에서 헤더를 확인하세요.",
    "channel_port_taken": "채널 시뮬레이터가 쓸 포트를 다른 프로그램이 쓰고 있습니다. 다른 포트를 정하세요.",
    "bad_journal_file": "기록 파일에 쓸 수 없습니다. 다른 파일을 정하세요.",
    "no_simulator": "--demo로 시작한 서버에서 데모 계정과만 카카오톡 사용자로 이야기해 볼 수 있습니다.",
}
