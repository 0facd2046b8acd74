"""What users say to the relay itself: /pair, /unpair, /status, /help, /code. Each refusal says its own reason."""

import math
from datetime import timedelta
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.endings import close_conversation
from pabal.apps.relay.machine import CONVERSATION, ConversationEvent
from pabal.apps.relay.model import sentences
from pabal.apps.relay.model.messages import CONVERSATION_ABOUT, ConversationState, PairingCode
from pabal.apps.relay.model.pairing import Command, Word, has_unused_letters, read_code
from pabal.apps.relay.model.skill import SkillRequest
from pabal.apps.relay.store import accounts, conversations
from pabal.apps.relay.store.receiving import Met
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.transitions import transition
from pabal.platform import notifications
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.notifications import Level, Notice
from pabal.platform.settings import Values

declare("relay.pairing.verified", "Pairings completed")
declare("relay.pairing.failed", "Pairing codes that were wrong, over or used", labels=("reason",))
declare("relay.pairing.blocked", "Users whose codes are not looked at for a while: too many wrong ones", level=30)
# instances that wait for their pairing are told by this
PAIRED = "relay.paired:"
_MINUTE = timedelta(minutes=1)


async def answer(tx: Tx, request: SkillRequest, met: Met, command: Command, values: Values) -> str:
    lang: Lang = "ko" if request.lang == "ko" else "en"
    match command.word:
        case Word.PAIR:
            text, named = await _pair(tx, request, met, command.rest, values)
        case Word.UNPAIR:
            text, named = await _unpair(tx, request, met)
        case Word.STATUS:
            text, named = _status(met)
        case Word.HELP:
            text, named = sentences.HELP, {}
        case Word.CODE:
            text, named = sentences.CODE, {}
    return put(lang, text, **named)


async def complete(tx: Tx, conversation_id: int, account_id: UUID, unit_id: int) -> None:
    """From now on its messages go to this account. The instance hears of it at once."""
    await conversations.update_pairing(tx, conversation_id, account_id=account_id, unit_id=unit_id, paired_at=tx.now)
    await accounts.end_session(tx, account_id)
    tx.hint(f"{PAIRED}{account_id}", tx.now)
    emit("relay.pairing.verified", account=str(account_id))


async def _pair(tx: Tx, request: SkillRequest, met: Met, typed: str, values: Values) -> tuple[Pair, dict[str, object]]:
    if met.state is ConversationState.PAIRED:
        return sentences.ALREADY, {"account": met.account_name}
    if met.state is ConversationState.PENDING:
        return sentences.ALREADY_PENDING, {"account": met.account_name}
    if met.blocked_until is not None and met.blocked_until > tx.now:
        return sentences.TOO_MANY, {"minutes": math.ceil((met.blocked_until - tx.now) / _MINUTE)}
    if not typed:
        return sentences.NO_CODE, {}
    code = await accounts.hold_code(tx, read_code(typed))
    refusal = _refuse(tx, code)
    if code is None or refusal is not None:
        return await _fail(tx, met, typed, refusal, values)
    account = await accounts.hold_account(tx, code.account_id)
    if account is None or account.disabled_at is not None:
        return await _fail(tx, met, typed, sentences.SWITCHED_OFF, values)
    await accounts.use_code(tx, code.code, used_by=request.conversation_key)
    return await _connect(tx, request, met, account)


def _refuse(tx: Tx, code: PairingCode | None) -> Pair | None:
    if code is None:
        return None
    if code.used_at is not None:
        return sentences.USED
    if code.revoked_at is not None:
        return sentences.REVOKED
    return sentences.EXPIRED if code.expires_at <= tx.now else None


async def _connect(
    tx: Tx, request: SkillRequest, met: Met, account: accounts.HeldAccount
) -> tuple[Pair, dict[str, object]]:
    who, named = f"kakao:{request.user_key}", {"account": account.name}
    if account.asks_owner:
        unit_id = account.unit_id
        await conversations.update_pairing(tx, met.id, account_id=account.id, unit_id=unit_id, paired_at=None)
        await transition(tx, CONVERSATION, met.id, ConversationEvent.ASK, actor=who)
        await notifications.notify(tx, _asking_notice(met, account))
        return sentences.ASKED, dict(named)
    await complete(tx, met.id, account.id, account.unit_id)
    await transition(tx, CONVERSATION, met.id, ConversationEvent.PAIR, actor=who)
    return sentences.PAIRED, dict(named)


async def _fail(tx: Tx, met: Met, typed: str, refusal: Pair | None, values: Values) -> tuple[Pair, dict[str, object]]:
    """Guesses are slowed: after so many within a while, no code of this user is looked at for a longer while."""
    is_recent = met.failures_since is not None and met.failures_since > tx.now - values[own.FAILURES_WITHIN]
    failures = met.failures + 1 if is_recent else 1
    since = met.failures_since if is_recent else tx.now
    left = values[own.MOST_FAILURES] - failures
    until = tx.now + values[own.FAILURES_BLOCK] if left <= 0 else None
    if until is None:
        await conversations.note_failure(tx, met.id, failures=failures, since=since, blocked_until=None)
    else:
        await conversations.note_failure(tx, met.id, failures=0, since=None, blocked_until=until)
    emit("relay.pairing.failed", reason="wrong" if refusal is None else "ended")
    if until is not None:
        emit("relay.pairing.blocked", conversation=met.id)
        return sentences.TOO_MANY, {"minutes": math.ceil(values[own.FAILURES_BLOCK] / _MINUTE)}
    if refusal is not None:
        return refusal, {}
    return sentences.WRONG_LETTERS if has_unused_letters(read_code(typed)) else sentences.WRONG, {"left": left}


async def _unpair(tx: Tx, request: SkillRequest, met: Met) -> tuple[Pair, dict[str, object]]:
    if met.state not in (ConversationState.PAIRED, ConversationState.PENDING):
        return sentences.NOT_PAIRED, {}
    who = f"kakao:{request.user_key}"
    await transition(tx, CONVERSATION, met.id, ConversationEvent.UNPAIR, actor=who)
    await close_conversation(tx, met.id, unit_id=met.unit_id)
    return sentences.UNPAIRED, {}


def _status(met: Met) -> tuple[Pair, dict[str, object]]:
    match met.state:
        case ConversationState.PAIRED:
            return sentences.STATUS_PAIRED, {"account": met.account_name}
        case ConversationState.PENDING:
            return sentences.STATUS_PENDING, {"account": met.account_name}
    return sentences.NOT_PAIRED, {}


def _asking_notice(met: Met, account: accounts.HeldAccount) -> Notice:
    return Notice(
        name="relay.pairing_asked",
        title=("Somebody wants to talk to {account}", "{account}와(과) 연결하려는 사용자가 있습니다"),
        text=(
            "A KakaoTalk user sent a valid code. Approve or reject the connection.",
            "카카오톡 사용자가 올바른 코드를 보냈습니다. 연결을 승인하거나 거절하세요.",
        ),
        values={"account": account.name},
        level=Level.ATTENTION,
        unit_id=account.unit_id,
        about=f"{CONVERSATION_ABOUT}:{met.id}",
        link=f"/relay/conversations/{met.id}",
        key=f"relay.pairing_asked:{met.id}",
    )
