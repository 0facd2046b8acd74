"""What the relay's pages share: addresses, shortened keys, durations in words, what to do about each end."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator

from pabal.apps.relay.model.messages import End
from pabal.apps.relay.store.accounts import list_accounts
from pabal.base.database import Tx
from pabal.platform.language.pairs import Pair
from pabal.platform.web.lists import clean
from pabal.platform.web.visit import Visit

LIVE = "/relay"
CONVERSATIONS = "/relay/conversations"
ACCOUNTS = "/relay/accounts"
PAIRING = "/relay/pairing"
TOPICS = "relay_message.*,relay_conversation.*"
ACCOUNT_TOPICS = "relay.*,relay_conversation.*"
PAGE = 50
MOST_CHOICES = 200
_KEY_LETTERS = 8
_MINUTE = timedelta(minutes=1)

Typed = Annotated[str, AfterValidator(clean)]

# what somebody can do about it; nothing where nothing has to be done
ADVICE: dict[End, Pair] = {
    End.NOBODY_ANSWERED: (
        "Check that the instance runs and answers fast enough. A late answer is kept and goes out with the user's next "
        "message.",
        "인스턴스가 켜져 있는지, 시간 안에 답하는지 확인하세요. 늦은 답은 보관했다가 다음 메시지와 함께 보냅니다.",
    ),
    End.ANSWERED_LATE: (
        "The servers were too busy to send it in time. Look at the jobs. The answer goes out with the next message.",
        "서버가 바빠 제때 보내지 못했습니다. 작업 화면을 확인하세요. 답은 다음 메시지와 함께 보냅니다.",
    ),
    End.REFUSED_BY_KAKAO: (
        "Check that the skill's block has “Use callback” switched on, and what the instance answered.",
        "스킬 블록의 ‘콜백 사용’이 켜져 있는지, 인스턴스가 보낸 답의 형식이 맞는지 확인하세요.",
    ),
    End.CALLBACK_UNKNOWN: (
        "The answer is not sent twice. Ask the user whether it arrived.",
        "같은 답을 두 번 보내지 않습니다. 사용자에게 도착했는지 확인하세요.",
    ),
    End.CALLBACK_UNREACHABLE: (
        "Check that this server may reach Kakao (bot-api.kakao.com, port 443).",
        "이 서버에서 카카오(bot-api.kakao.com, 443 포트)로 나갈 수 있는지 확인하세요.",
    ),
    End.ADDRESS_NOT_ALLOWED: (
        "Only Kakao's addresses are called. If this one is right, whoever runs the servers can allow it.",
        "카카오 주소로만 답을 보냅니다. 맞는 주소라면 서버 담당자에게 허용을 요청하세요.",
    ),
    End.WITHDRAWN: (
        "The user was asked to write again. Check the database if this happens often.",
        "사용자에게 다시 보내 달라고 안내했습니다. 자주 생기면 데이터베이스를 확인하세요.",
    ),
    End.UNPAIRED: (
        "Nothing to do. The user can pair again with a new code.",
        "할 일은 없습니다. 새 코드로 다시 연결할 수 있습니다.",
    ),
}


def short_key(conversation_key: str) -> str:
    """A user as lists show it: who it is does not matter, that it is the same one does."""
    user = conversation_key.rpartition(":")[2]
    return user if len(user) <= _KEY_LETTERS else f"{user[:_KEY_LETTERS]}…"


def show_seconds(visit: Visit, span: timedelta) -> str:
    """To a tenth below ten seconds: that is what people compare."""
    seconds = max(0.0, span.total_seconds())
    if seconds < 10:
        return visit.say("{n:.1f} s", "{n:.1f}초", n=seconds)
    if span < _MINUTE:
        return visit.say("{n:.0f} s", "{n:.0f}초", n=seconds)
    if span < 60 * _MINUTE:
        minutes, rest = divmod(int(seconds), 60)
        said = ("{m} min {s} s", "{m}분 {s}초") if rest else ("{m} min", "{m}분")
        return visit.say(*said, m=minutes, s=rest)
    return visit.voice.span(span)


def read_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def address_of(visit: Visit) -> str:
    """How this server is reached from outside."""
    return (visit.services.settings.public_url or str(visit.request.base_url)).rstrip("/")


async def list_choices(tx: Tx, visit: Visit, *, only_enabled: bool = False) -> list[tuple[str, str]]:
    found = (await list_accounts(tx, visit.scope, limit=MOST_CHOICES)).items
    return [(str(one.id), one.name) for one in found if not only_enabled or one.disabled_at is None]
