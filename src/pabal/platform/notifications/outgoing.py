"""notify.webhook and notify.email: one message through one channel, every try kept with what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import ids
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Done, Outcome, Retry
from pabal.engine.retry import Backoff
from pabal.platform.language import Pair
from pabal.platform.notifications import attempts, store, ways
from pabal.platform.notifications.actions import notify
from pabal.platform.notifications.attempts import Outgoing, Trouble
from pabal.platform.notifications.mail import LARGEST_ATTACHMENT, Mail, Mailed, Mailer, MailFailed, MailRefused
from pabal.platform.notifications.model import Level, Notice, read_mailboxes
from pabal.platform.notifications.reasons import explain
from pabal.platform.notifications.webhook import Answered, Post, Unanswered, Webhooks
from pabal.platform.secrets import Vault
from pabal.platform.storage import ContentMissing, Files

# So many tries in a row, over so long: by then nobody has mended it by chance, and a person should know.
PAUSE_AFTER = 12
PAUSE_SPAN = timedelta(hours=1)
GONE = 410
_BACKOFF = Backoff(first=timedelta(seconds=5), most=timedelta(hours=1))
_MOST_WAIT = timedelta(hours=1)

declare("notifications.arrived", "Messages that a webhook's receiver or a mail server took", labels=("kind",), level=10)
declare("notifications.missed", "Tries by webhook or e-mail that failed", labels=("kind",), level=30)


@dataclass(frozen=True, slots=True)
class Ready:
    out: Outgoing
    at: datetime
    attempt: int
    secrets: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one try. `is_final`: another would end the same; `is_gone`: so would every other message."""

    is_taken: bool
    reason: str
    status: int | None = None
    wait: timedelta | None = None
    is_final: bool = False
    is_gone: bool = False
    ms: int = 0


class SendOut:
    """Sent again until it is taken, under one id: a receiver that was asked twice can tell.

    Sent twice is what the receiver took while its answer, or our record of it, was lost.
    """

    def __init__(
        self, webhooks: Webhooks, mailer: Mailer, vault: Vault, files: Files, *, console_url: str | None = None
    ) -> None:
        self._webhooks, self._mailer, self._vault, self._files = webhooks, mailer, vault, files
        self._console_url = console_url

    async def prepare(self, tx: Tx, job: Job) -> Ready | Outcome:
        out = await attempts.find_outgoing(tx, job.args["delivery"])
        if out is None:
            return Cancel("the channel was removed")
        if not out.is_open and not out.is_test:
            return Cancel("the channel is off or stopped")
        sealed = [one for one in (out.sealed_token, out.sealed_before) if one]
        return Ready(out, tx.now, out.attempts + 1, tuple(self._vault.open(one) for one in sealed))

    async def perform(self, job: Job, prepared: Ready) -> Tried:
        begun = elapsed()
        send = self._post if prepared.out.kind == ways.WEBHOOK else self._mail
        tried = await send(prepared)
        return replace(tried, ms=int((elapsed() - begun) * 1000))

    async def record(self, tx: Tx, prepared: Ready, result: Tried) -> Outcome:
        out = prepared.out
        await attempts.insert_attempt(tx, out.id, status=result.status, reason=result.reason, ms=result.ms)
        if result.is_taken:
            emit("notifications.arrived", kind=out.kind, channel=out.channel_id)
            detail = result.reason if out.kind == ways.EMAIL and result.reason else None
            await store.end_delivery(tx, out.id, result="sent", detail=detail)
            await tx.run(attempts.SQL.note_arrival, id=out.channel_id, now=tx.now)
            return Done(detail) if detail else DONE
        return await _fail(tx, out, result)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await store.end_delivery(tx, job.args["delivery"], result="failed", detail=reason)

    async def _post(self, ready: Ready) -> Tried:
        out = ready.out
        delivery = ids.show("dlv", out.replay_of or out.id)
        body = ways.with_link(out.text, out.link, self._console_url)
        is_replay = out.replay_of is not None
        post = Post(out.address, delivery, body, ready.at, ready.secrets, ready.attempt, is_replay)
        match await self._webhooks.post(post):
            case Answered(status, reason, wait) as answered:
                after = None if wait is None else min(timedelta(seconds=wait), _MOST_WAIT)
                is_gone = status == GONE
                return Tried(answered.is_taken, reason, status, after, is_final=is_gone, is_gone=is_gone)
            case Unanswered(reason):
                return Tried(False, reason)

    async def _mail(self, ready: Ready) -> Tried:
        match await self._mailer.send(await self._write(ready)):
            case Mailed(refused):
                return Tried(True, refused, 250)
            case MailRefused(code, reason):
                return Tried(False, reason, code, is_final=True)
            case MailFailed(reason, code):
                return Tried(False, reason, code)

    async def _write(self, ready: Ready) -> Mail:
        out = ready.out
        subject, _, _ = out.text.partition("\n")
        text = f"{out.text}\n\n{self._console_url}{out.link}" if self._console_url and out.link else out.text
        mailboxes = read_mailboxes(out.address)
        message_id = ids.show("dlv", out.replay_of or out.id)
        return Mail(mailboxes, subject, text, message_id, ready.at, await self._attachment(out))

    async def _attachment(self, out: Outgoing) -> tuple[str, bytes] | None:
        """What is too large or gone by now stays in the console."""
        if out.document is None:
            return None
        try:
            content = await self._files.open(out.document.key)
        except ContentMissing:
            return None
        if content.size > LARGEST_ATTACHMENT:
            return None
        return out.document.name, b"".join([piece async for piece in content.chunks])


def make_out_kinds(
    webhooks: Webhooks, mailer: Mailer, vault: Vault, files: Files, *, console_url: str | None = None
) -> Kinds:
    """One at a time through a channel; what waits for its next try lets others go first."""
    kinds = Kinds()
    handler = SendOut(webhooks, mailer, vault, files, console_url=console_url)
    for way in (ways.WEBHOOK, ways.EMAIL):
        kinds.steps(ways.WAYS[way].kind, handler, backoff=_BACKOFF)
    return kinds


async def _fail(tx: Tx, out: Outgoing, tried: Tried) -> Outcome:
    said = tried.reason if tried.status is None else f"{tried.status} {tried.reason}".strip()
    emit("notifications.missed", kind=out.kind, channel=out.channel_id, reason=said)
    trouble = await attempts.note_failure(tx, out.channel_id, said)
    if trouble is not None and (tried.is_gone or _is_enough(trouble, tx.now)):
        await _pause(tx, out, trouble, said)
    return Cancel(said) if tried.is_final or out.is_test else Retry(said, after=tried.wait)


def _is_enough(trouble: Trouble, now: datetime) -> bool:
    return trouble.failures >= PAUSE_AFTER and now - trouble.failing_since >= PAUSE_SPAN


_PAUSED: dict[str, tuple[Pair, Pair]] = {
    ways.WEBHOOK: (
        ("The webhook “{name}” was paused", "웹훅 ‘{name}’을(를) 멈췄습니다"),
        (
            "{failures} tries in a row failed, last with: {said_en}. What it misses is kept: once a test arrives, or "
            "you open the channel again, send it again from its page.",
            "연달아 {failures}번 실패했습니다. 마지막 이유: {said_ko}. 못 보낸 것은 남겨 둡니다. 시험이 도착하거나 "
            "채널을 다시 연 뒤, 채널 페이지에서 다시 보내세요.",
        ),
    ),
    ways.EMAIL: (
        ("The e-mail channel “{name}” was paused", "메일 채널 ‘{name}’을(를) 멈췄습니다"),
        (
            "{failures} tries in a row failed, last with: {said_en}. Check the mailboxes and the mail server; then "
            "test the channel and send again what it missed.",
            "연달아 {failures}번 실패했습니다. 마지막 이유: {said_ko}. 메일 주소와 메일 서버를 확인하고 시험한 뒤, "
            "못 보낸 것을 다시 보내세요.",
        ),
    ),
}


async def _pause(tx: Tx, out: Outgoing, trouble: Trouble, said: str) -> None:
    """Told by other ways, and once: this channel hears no more of anything."""
    if not await attempts.pause_channel(tx, out.channel_id, out.address):
        return
    channel = await store.get_channel(tx, out.channel_id)
    title, text = _PAUSED[out.kind]
    notice = Notice(
        name="notifications.channel_stopped",
        title=title,
        text=text,
        values={
            "name": channel.name,
            "failures": trouble.failures,
            "said_en": explain(said, "en").rstrip("."),
            "said_ko": explain(said, "ko").rstrip("."),
        },
        level=Level.FAILURE,
        unit_id=channel.unit_id,
        about=f"channel:{channel.id}",
        link=f"/notifications/channels/{channel.id}",
        key=f"channel:{channel.id}:stopped",
    )
    await notify(tx, notice)
