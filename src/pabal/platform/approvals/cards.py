"""Requests in Telegram: a card with two buttons to whoever may decide, edited to its outcome, and what a press does."""

from dataclasses import dataclass, field
from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.engine import ids, limits, queue
from pabal.engine.facts import Subscriber
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Outcome, Retry, Snooze
from pabal.engine.queue import NewJob
from pabal.engine.reading import Fact
from pabal.platform.actor import ENGINE, Right
from pabal.platform.approvals import actions
from pabal.platform.approvals.machine import load_approvals
from pabal.platform.approvals.model import PREFIX, Approvables, Approval, Told, Verdict
from pabal.platform.auth.store import find_user
from pabal.platform.language.errors import explain
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.notifications import store
from pabal.platform.notifications.actions import notify
from pabal.platform.notifications.gateway import Moved, Refused, RetryAfter, Sent, Telegram, Unreachable, Update
from pabal.platform.notifications.jobs import BACKOFF, limits_of
from pabal.platform.notifications.linking import find_person
from pabal.platform.notifications.model import Card, Channel, Level, Notice
from pabal.platform.notifications.polling import Said
from pabal.platform.secrets import Vault

EDIT = "notify.telegram_edit"
# after that nobody scrolls back to it
STALE_AFTER = timedelta(days=2)
ZONE = ZoneInfo("Asia/Seoul")
_MARK = "apr"
_VERDICTS = {"y": Verdict.APPROVE, "n": Verdict.REJECT}
_ENDS: dict[str, Pair] = {
    "approved": ("✅ approved by {who}, {at}", "✅ 승인 · {who} · {at}"),
    "rejected": ("⛔ rejected by {who}, {at}", "⛔ 반려 · {who} · {at}"),
    "withdrawn": ("↩️ not asked any more, {at}", "↩️ 더는 묻지 않음 · {at}"),
    "expired": ("⌛ its time was over, {at}", "⌛ 시간 지남 · {at}"),
}
_STRANGER: Pair = (
    "Pabal does not know this Telegram account. Link it on your account page.",
    "파발에 연결되지 않은 텔레그램 계정입니다. 내 계정 화면에서 연결하세요.",
)
_OLD: Pair = ("This button means nothing any more.", "더는 쓰이지 않는 단추입니다.")
_ONE_MORE: Pair = ("Noted. One more person must say yes.", "적어 두었습니다. 한 사람이 더 승인해야 합니다.")


def make_subscriber(approvables: Approvables) -> Subscriber:
    async def follow(tx: Tx, found: list[Fact]) -> None:
        for fact in found:
            for approval in await load_approvals(tx, [_number(fact)]):
                if approval.kind in approvables:
                    await (_ask if fact.name == "approval.open" else _edit)(tx, approval, approvables)

    return Subscriber("approvals.cards", ("approval.*",), follow, from_start=True)


async def _ask(tx: Tx, approval: Approval, approvables: Approvables) -> None:
    """In the console, and to channels; in a person's own chat only if they could decide it."""
    approvable = approvables[approval.kind]
    # a notice is everybody's who reads in the unit
    if not approval.is_open or approvable.sees is not Right.READ:
        return
    told = (await actions.tell(tx, approvables, [approval]))[approval.id]

    async def may_hear(channel: Channel) -> bool:
        user = None if channel.user_id is None else await find_user(tx, channel.user_id)
        return channel.user_id is None or (user is not None and user.is_active and approvable.may_decide(user.actor()))

    data = ids.show(PREFIX, approval.id)
    buttons = ((approvable.yes, f"{_MARK}:{data}:y"), (approvable.no, f"{_MARK}:{data}:n"))
    notice = Notice(
        name="approvals.asked",
        title=told.title,
        text=tuple(_lines(told, approval, lang) for lang in ("en", "ko")),  # type: ignore[arg-type]  # two of them
        level=Level.ATTENTION,
        unit_id=approval.unit_id,
        about=approval.about,
        link=f"/approvals/{approval.id}",
        card=Card(approval.id, buttons),
    )
    await notify(tx, notice, to=may_hear)


def _lines(told: Told, approval: Approval, lang: Lang) -> str:
    lines = [f"• {put(lang, one)}" for one in told.will] + [put(lang, one) for one in told.why]
    if approval.deadline_at is not None:
        until = show_moment(approval.deadline_at, ZONE, lang, now=approval.opened_at)
        lines.append(put(lang, ("Until {at}", "기한 {at}"), at=until))
    # braces of a name are not values
    return "\n".join(lines).replace("{", "(").replace("}", ")")


async def _edit(tx: Tx, approval: Approval, _known: Approvables) -> None:
    """Behind what its chat still waits for, the card itself among it."""
    for row in await store.list_cards(tx, approval.id):
        job = NewJob(
            EDIT,
            {"delivery": row["id"]},
            lane=f"telegram:{row['chat_id']}",
            about=f"channel:{row['channel_id']}",
            unit_id=row["unit_id"],
            deadline=timedelta(minutes=1),
            expires_at=tx.now + STALE_AFTER,
        )
        await queue.enqueue(tx, job)


@dataclass(frozen=True, slots=True)
class Edited:
    """A card that was sent, and what it says from now on."""

    chat_id: str
    bot_id: int
    message_id: int
    text: str
    token: str = field(repr=False)


class EditCard:
    def __init__(self, telegram: Telegram, vault: Vault, approvables: Approvables) -> None:
        self._telegram, self._vault, self._known = telegram, vault, approvables

    async def prepare(self, tx: Tx, job: Job) -> Edited | Outcome:
        row = await store.find_card(tx, job.args["delivery"])
        found = [] if row is None else await load_approvals(tx, [row["approval_id"]])
        if row is None or not found or found[0].is_open or found[0].kind not in self._known:
            return Cancel("it was never sent")
        approval = found[0]
        refusal = await limits.take(tx, job, limits_of(row["chat_id"], row["bot_id"]))
        if refusal is not None:
            return refusal
        told = (await actions.tell(tx, self._known, [approval]))[approval.id]
        text = f"{put(row['lang'], told.title)}\n{await show_end(tx, approval, row['lang'])}"
        token = self._vault.open(row["sealed_token"])
        return Edited(row["chat_id"], row["bot_id"], row["message_id"], text, token)

    async def perform(self, job: Job, prepared: Edited) -> object:
        return await self._telegram.edit_message(prepared.token, prepared.chat_id, prepared.message_id, prepared.text)

    async def record(self, tx: Tx, prepared: Edited, result: object) -> Outcome:
        match result:
            case Sent():
                return DONE
            case RetryAfter(wait):
                return Snooze(tx.now + wait, "Telegram asked to wait")
            case Unreachable(reason):
                return Retry(reason)
            case Refused(code, description):
                return Cancel(f"Telegram refused it: {code} {description}")
            case Moved(chat_id):
                return Cancel(f"the group moved to {chat_id}")
        return Cancel("no answer")

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """The card keeps its buttons, which answer with the truth."""


async def show_end(tx: Tx, approval: Approval, lang: Lang) -> str:
    who = await actions.name_actor(tx, ENGINE, approval.decided_by)
    at = show_moment((approval.decided_at or approval.opened_at).astimezone(UTC), ZONE, lang, now=tx.now)
    said = put(lang, _ENDS[approval.state], who=put(lang, who), at=at)
    return f"{said}\n“{approval.reason}”" if approval.reason else said


def add_kinds(kinds: Kinds, telegram: Telegram, vault: Vault, approvables: Approvables) -> Kinds:
    kinds.steps(EDIT, EditCard(telegram, vault, approvables), backoff=BACKOFF, on_wait="hold")
    return kinds


async def press(tx: Tx, update: Update, *, approvables: Approvables) -> Said:
    """Whoever pressed decides with their own role and unit; what does not go is answered with the truth."""
    person = await find_person(tx, update.from_id)
    if person is None:
        return Said("\n".join(reversed(_STRANGER)), is_alert=True)
    lang: Lang = "en" if person.language == "en" else "ko"
    approval_id, verdict = read_data(update.data)
    if approval_id is None or verdict is None:
        return Said(put(lang, _OLD), is_alert=True)
    try:
        async with tx.savepoint():
            actor = person.actor("telegram")
            done = await actions.decide(tx, actor, approval_id, approvables=approvables, verdict=verdict)
    except PabalError as error:
        return await _refused(tx, error, approval_id, lang)
    return Said(put(lang, _ONE_MORE) if done.is_open else await show_end(tx, done, lang))


async def _refused(tx: Tx, error: PabalError, approval_id: int, lang: Lang) -> Said:
    over = getattr(error, "approval", None)
    said = explain(error, lang)
    return Said(said if over is None else f"{said}\n{await show_end(tx, over, lang)}", is_alert=True)


def read_data(data: str) -> tuple[int | None, Verdict | None]:
    mark, _, rest = data.partition(":")
    text, _, word = rest.partition(":")
    if mark != _MARK:
        return None, None
    try:
        return ids.read(PREFIX, text), _VERDICTS.get(word)
    except ids.BadId:
        return None, None


def _number(fact: Fact) -> int:
    return int(fact.subject.partition(":")[2])
