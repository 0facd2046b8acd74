"""notify.telegram: one message through one channel, a part per attempt."""

from dataclasses import dataclass, field
from datetime import timedelta

from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import limits
from pabal.engine.kinds import Job, Kinds
from pabal.engine.limits import Limit, Window, least_gap
from pabal.engine.outcome import DONE, Cancel, Outcome, Retry, Snooze
from pabal.engine.retry import Backoff
from pabal.platform.notifications import actions, parts, store
from pabal.platform.notifications.actions import KIND, notify
from pabal.platform.notifications.gateway import (
    Answer,
    Button,
    Moved,
    Refused,
    RetryAfter,
    Sent,
    Telegram,
    Unreachable,
    Upload,
)
from pabal.platform.notifications.model import Level, Notice
from pabal.platform.notifications.parts import DocumentPart, Part
from pabal.platform.notifications.store import Errand
from pabal.platform.secrets import Vault
from pabal.platform.storage import ContentMissing, Files

# What the Bot API asks for: one a second in a chat, 20 a minute in a group, 30 a second for a bot.
GAP = timedelta(seconds=1)
_GROUP = Window("minute", 20, timedelta(minutes=1))
_BOT = Window("second", 30, timedelta(seconds=1))
BACKOFF = Backoff(first=timedelta(seconds=5), most=timedelta(minutes=10))

declare("telegram.sent", "Messages, or parts of them, that Telegram took", level=10)
declare("telegram.limited", "Answers of Telegram that asked to wait", level=20)
declare("telegram.refused", "Messages Telegram will never take", labels=("status",), level=30)
declare("telegram.unreachable", "Calls of Telegram without a usable answer", level=30)


@dataclass(frozen=True, slots=True)
class Gone:
    """The document is not there any more."""

    name: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The next part, and where it goes."""

    errand: Errand
    part: Part
    is_last: bool
    token: str = field(repr=False)


class SendTelegram:
    """Each attempt sends the first part that has not arrived, and records it: a crash, a 429 or a stop resumes there.

    No part is sent twice but one: when Telegram took it and the answer, or our record of it, was lost. The Bot API
    has no way to ask whether it did.
    """

    def __init__(self, telegram: Telegram, vault: Vault, files: Files, *, console_url: str | None = None) -> None:
        self._telegram = telegram
        self._vault = vault
        self._files = files
        self._console_url = console_url

    async def prepare(self, tx: Tx, job: Job) -> Ready | Outcome:
        errand = await store.find_errand(tx, job.args["delivery"])
        if errand is None:
            return Cancel("the channel was removed")
        if not errand.is_open and not errand.is_test:
            return Cancel("the channel is off or stopped")
        if errand.is_over:
            return Cancel("it was decided before it was sent")
        planned = parts.plan(self._full_text(errand), errand.document)
        if errand.parts_sent >= len(planned):
            return await _end(tx, errand)
        token = self._vault.open(errand.sealed_token)
        refusal = await limits.take(tx, job, limits_of(errand.chat_id, errand.bot_id))
        if refusal is not None:
            return refusal
        is_last = errand.parts_sent + 1 == len(planned)
        return Ready(errand, planned[errand.parts_sent], is_last, token)

    async def perform(self, job: Job, prepared: Ready) -> Answer | Gone:
        chat_id, part = prepared.errand.chat_id, prepared.part
        if not isinstance(part, DocumentPart):
            buttons = [Button(*one) for one in prepared.errand.buttons or ()] if prepared.is_last else []
            return await self._telegram.send_message(prepared.token, chat_id, part.text, buttons)
        try:
            upload = Upload(part.document.name, await self._files.open(part.document.key))
        except ContentMissing:
            return Gone(part.document.name)
        return await self._telegram.send_document(prepared.token, chat_id, upload, part.caption)

    async def record(self, tx: Tx, prepared: Ready, result: Answer | Gone) -> Outcome:
        errand = prepared.errand
        match result:
            case Sent(message_id):
                if errand.is_card and prepared.is_last:
                    await tx.run(store.SQL.note_message, id=errand.id, message_id=message_id)
                return await _go_on(tx, prepared)
            case RetryAfter(wait):
                emit("telegram.limited", channel=errand.channel_id, seconds=wait.total_seconds())
                return Snooze(tx.now + wait, "Telegram asked to wait")
            case Moved(chat_id):
                await actions.follow_chat(tx, errand.bot_id, moved_from=errand.chat_id, moved_to=chat_id)
                return Snooze(tx.now + GAP, "the group has a new id")
            case Refused():
                return await _refuse(tx, errand, result)
            case Gone(name):
                return Cancel(f"the document {name} is not there any more")
            case Unreachable(reason):
                emit("telegram.unreachable", channel=errand.channel_id, reason=reason)
                await tx.run(store.SQL.note_error, id=errand.channel_id, error=reason, now=tx.now)
                return Retry(reason)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        channel_id = await store.end_delivery(tx, job.args["delivery"], result="failed", detail=reason)
        if channel_id is not None:
            await tx.run(store.SQL.note_error, id=channel_id, error=reason, now=tx.now)

    def _full_text(self, errand: Errand) -> str:
        has_link = self._console_url is not None and errand.link is not None
        return f"{errand.text}\n{self._console_url}{errand.link}" if has_link else errand.text


def make_kinds(telegram: Telegram, vault: Vault, files: Files, *, console_url: str | None = None) -> Kinds:
    """`console_url` is where people open the console; without it messages carry no link."""
    kinds = Kinds()
    handler = SendTelegram(telegram, vault, files, console_url=console_url)
    # The chat's lane is held while a message waits: its parts stay together and nothing overtakes it.
    kinds.steps(KIND, handler, backoff=BACKOFF, on_wait="hold")
    return kinds


def limits_of(chat_id: str, bot_id: int) -> list[Limit]:
    is_group = not chat_id.isdigit()
    windows = (least_gap(GAP), _GROUP) if is_group else (least_gap(GAP),)
    return [Limit(f"telegram:chat:{chat_id}", windows), Limit(f"telegram:bot:{bot_id}", (_BOT,))]


async def _go_on(tx: Tx, prepared: Ready) -> Outcome:
    emit("telegram.sent", channel=prepared.errand.channel_id)
    await tx.run(store.SQL.count_part, id=prepared.errand.id)
    return await _end(tx, prepared.errand) if prepared.is_last else Snooze(tx.now + GAP, "the next part")


async def _end(tx: Tx, errand: Errand) -> Outcome:
    await store.end_delivery(tx, errand.id, result="sent")
    await tx.run(store.SQL.note_success, id=errand.channel_id, now=tx.now)
    return DONE


async def _refuse(tx: Tx, errand: Errand, refused: Refused) -> Outcome:
    emit("telegram.refused", status=refused.code, channel=errand.channel_id, description=refused.description)
    if refused.stops:
        await _stop(tx, errand, refused)
    return Cancel(f"Telegram refused it: {refused.code} {refused.description}")


async def _stop(tx: Tx, errand: Errand, refused: Refused) -> None:
    """Every further message would end the same, so people are told once, by other ways."""
    given = {"id": errand.channel_id, "sealed_token": errand.sealed_token, "chat_id": errand.chat_id}
    if not await tx.run(store.SQL.stop_channel, **given, now=tx.now):
        return
    channel = await store.get_channel(tx, errand.channel_id)
    notice = Notice(
        name="notifications.channel_stopped",
        title=("The Telegram channel “{name}” was stopped", "텔레그램 채널 ‘{name}’이(가) 멈췄습니다"),
        text=(
            "Telegram answered {said}. Check the bot's token and that it may write in the chat, then test the channel.",
            "텔레그램의 답: {said}. 봇 토큰이 맞는지, 봇이 그 채팅에 쓸 수 있는지 확인한 뒤 채널을 시험해 보세요.",
        ),
        values={"name": channel.name, "said": f"{refused.code} {refused.description}"},
        level=Level.FAILURE,
        unit_id=channel.unit_id,
        about=f"channel:{channel.id}",
        link="/notifications",
        key=f"channel:{channel.id}:stopped",
    )
    await notify(tx, notice)
