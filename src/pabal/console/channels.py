"""Channels: the chats, webhooks and mailboxes that notifications go to. Add, edit, test, and see what went through."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Form, Path
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.errors import Conflict, NotFound
from pabal.platform import notifications, tenants
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding, find_wrong, texts_by_field
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Look
from pabal.platform.notifications import BadToken, Channel, ChannelForm, Level
from pabal.platform.notifications.model import read_bot_id
from pabal.platform.notifications.polling import find_problem
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
AREA = notifications.AREA
HOME = "/notifications/channels"
PAGE = 20
# what a channel may want, as hints of the form; an app's own names follow the same pattern
EXAMPLES = ("alerts.*", "messaging.*", "notifications.channel_stopped")

# how long everything is signed with the old secret too
OVERLAPS: dict[int, Pair] = {
    0: ("at once", "바로"),
    1: ("after 1 hour", "1시간 뒤"),
    24: ("after 1 day", "하루 뒤"),
    168: ("after 7 days", "7일 뒤"),
}
SPANS: dict[int, Pair] = {
    1: ("the last hour", "최근 1시간"),
    24: ("the last day", "최근 하루"),
    72: ("the last 3 days", "최근 3일"),
    720: ("the last 30 days", "최근 30일"),
}
KindName = Literal["telegram", "webhook", "email"]
ChannelId = Annotated[int, Path(gt=0, lt=2**63)]


class Typed(BaseModel):
    """What the form sent, as it is: longer than allowed is said at its field."""

    name: Annotated[str, Form(max_length=1000)] = ""
    unit_id: Annotated[int, Form(ge=0, lt=2**63)] = 0
    kind: KindName = "telegram"
    address: Annotated[str, Form(max_length=10_000)] = ""
    chat_id: Annotated[str, Form(max_length=1000)] = ""
    token: Annotated[str, Form(max_length=1000)] = ""
    lang: str = "ko"
    least_level: str = Level.ATTENTION.value
    wants: Annotated[str, Form(max_length=10_000)] = ""
    is_active: str = ""
    is_two_way: str = ""

    def as_form(self) -> ChannelForm:
        return ChannelForm(
            name=_plain(self.name),
            chat_id=_plain(self.chat_id),
            token=_plain(self.token) or None,
            lang="en" if self.lang == "en" else "ko",
            least_level=Level(self.least_level) if self.least_level in list(Level) else Level.ATTENTION,
            wants=tuple(self.wants.replace(",", " ").split()),
            is_active=bool(self.is_active),
            is_two_way=bool(self.is_two_way) or self.kind != "telegram",
            kind=self.kind,
            address=_plain(self.address),
        )


@dataclass(frozen=True, slots=True)
class Row:
    channel: Channel
    place: str
    look: Look
    word: Pair


@router.get(HOME)
async def list_channels(visit: Visitor) -> Response:
    async with visit.read() as tx:
        found = await notifications.list_channels(tx, visit.actor, within=visit.scope.unit_id)
        places = {unit.id: unit.name for unit in await tenants.list_units(tx, visit.scope.listed)}
    return await visit.show("channels.html", rows=[_row(one, places) for one in found], **_where(visit))


@router.get(f"{HOME}/new")
async def new_channel(visit: Visitor, kind: KindName = "telegram") -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    blank = Typed(kind=kind, unit_id=visit.scope.unit_id or 0, lang=visit.lang, is_active="yes", is_two_way="yes")
    return await _show_form(visit, blank)


@router.post(HOME)
async def add_channel(visit: Visitor, typed: Annotated[Typed, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    faults = _find_faults(typed, needs_token=typed.kind == "telegram")
    if faults:
        return await _show_form(visit, typed, faults)
    try:
        async with visit.change() as tx:
            vault = visit.services.vault
            made = await notifications.add_channel(tx, visit.actor, vault, typed.as_form(), unit_id=typed.unit_id)
    except (Conflict, NotFound) as error:
        field = "name" if isinstance(error, Conflict) else "unit_id"
        return await _show_form(visit, typed, [find_wrong(error, field)])
    if made.secret is not None:
        return await _show_secret(visit, made)
    said: Pair = ("Added. Send a test to see whether it arrives.", "더했습니다. 시험을 보내 도착하는지 보세요.")
    return visit.go(f"{HOME}/{made.id}", said=said)


@router.get(f"{HOME}/{{channel_id}}")
async def channel(visit: Visitor, channel_id: ChannelId, cursor: Word = "", tested: Word = "") -> Response:
    return await _show_channel(visit, channel_id, cursor=cursor, tested=tested)


@router.get(f"{HOME}/{{channel_id}}/deliveries/{{delivery_id}}")
async def delivery(visit: Visitor, channel_id: ChannelId, delivery_id: ChannelId) -> Response:
    """Its tries."""
    async with visit.read() as tx:
        found = await notifications.get_channel(tx, visit.actor, channel_id)
        tries = await notifications.list_attempts(tx, visit.actor, channel_id, delivery_id)
        [one] = await notifications.list_deliveries(tx, visit.actor, channel_id, before=delivery_id + 1, limit=1)
    return await visit.show("channel_delivery.html", channel=found, delivery=one, tries=tries, why=_why(visit))


@router.post(f"{HOME}/{{channel_id}}/deliveries/{{delivery_id}}/replay")
async def replay_delivery(visit: Visitor, channel_id: ChannelId, delivery_id: ChannelId) -> Response:
    async with visit.change() as tx:
        await notifications.replay_delivery(tx, visit.actor, channel_id, delivery_id)
    return visit.go(f"{HOME}/{channel_id}", said=("It is sent again.", "다시 보냅니다."))


@router.post(f"{HOME}/{{channel_id}}/replay")
async def replay_since(
    visit: Visitor, channel_id: ChannelId, hours: Annotated[int, Form(ge=1, le=2400)] = 24, also_sent: Word = ""
) -> Response:
    async with visit.change() as tx:
        since = tx.now - timedelta(hours=hours)
        made = await notifications.replay_since(tx, visit.actor, channel_id, since, also_sent=bool(also_sent))
    said: Pair = ("{n} is sent again.|{n} are sent again.", "{n}건을 다시 보냅니다.")
    return visit.go(f"{HOME}/{channel_id}", said=said, n=len(made))


@router.post(f"{HOME}/{{channel_id}}/open")
async def open_channel(visit: Visitor, channel_id: ChannelId) -> Response:
    async with visit.change() as tx:
        await notifications.open_channel(tx, visit.actor, channel_id)
    said: Pair = (
        "Open again. What it missed can be sent again below.",
        "다시 열었습니다. 놓친 것은 아래에서 다시 보내세요.",
    )
    return visit.go(f"{HOME}/{channel_id}", said=said)


@router.post(f"{HOME}/{{channel_id}}/rotate")
async def rotate_secret(
    visit: Visitor, channel_id: ChannelId, overlap: Annotated[int, Form(ge=0, le=720)] = 24
) -> Response:
    span = timedelta(hours=overlap)
    async with visit.change() as tx:
        vault = visit.services.vault
        made = await notifications.rotate_secret(tx, visit.actor, channel_id, vault=vault, overlap=span)
    return await _show_secret(visit, made)


@router.get(f"{HOME}/{{channel_id}}/{{verb}}")
async def back_to_channel(visit: Visitor, channel_id: ChannelId, verb: str) -> Response:
    """The address of an answer that showed a secret: whoever comes back to it finds none there."""
    return visit.go(f"{HOME}/{channel_id}")


@router.post(f"{HOME}/{{channel_id}}")
async def edit_channel(visit: Visitor, channel_id: ChannelId, typed: Annotated[Typed, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    async with visit.read() as tx:
        before = await notifications.get_channel(tx, visit.actor, channel_id)
    typed = typed.model_copy(update={"kind": before.kind})
    faults = _find_faults(typed, needs_token=False)
    if faults:
        return await _show_channel(visit, channel_id, typed=typed, faults=faults)
    try:
        async with visit.change() as tx:
            await notifications.edit_channel(tx, visit.actor, visit.services.vault, channel_id, typed.as_form())
    except Conflict as error:
        return await _show_channel(visit, channel_id, typed=typed, faults=[find_wrong(error, "name")])
    return visit.go(f"{HOME}/{channel_id}", said=("Saved.", "저장했습니다."))


@router.post(f"{HOME}/{{channel_id}}/test")
async def test_channel(visit: Visitor, channel_id: ChannelId) -> Response:
    """The page it leads to follows the delivery until it has ended."""
    async with visit.change() as tx:
        delivery_id = await notifications.send_test(tx, visit.actor, channel_id)
    return visit.go(f"{HOME}/{channel_id}?tested={delivery_id}")


@router.post(f"{HOME}/{{channel_id}}/remove")
async def remove_channel(visit: Visitor, channel_id: ChannelId) -> Response:
    async with visit.change() as tx:
        await notifications.remove_channel(tx, visit.actor, channel_id)
    return visit.go(HOME, said=("The channel is removed.", "채널을 지웠습니다."))


async def _show_channel(
    visit: Visit,
    channel_id: int,
    *,
    cursor: str = "",
    tested: str = "",
    typed: Typed | None = None,
    faults: Sequence[Finding] = (),
) -> Response:  # long: a page, its cursor, its test, and a form that did not fit
    async with visit.read() as tx:
        found = await notifications.get_channel(tx, visit.actor, channel_id)
        deliveries = await notifications.list_deliveries(
            tx, visit.actor, channel_id, before=read_before(cursor), limit=PAGE + 1
        )
        place = (await tenants.get_unit(tx, found.unit_id)).name
        problem = await find_problem(tx, found.bot_id)
    page = cut_by_id(deliveries, PAGE)
    return await visit.show(
        "channel.html",
        422 if faults else 200,
        row=_row(found, {found.unit_id: place}),
        problem=problem,
        deliveries=page.items,
        test=next((one for one in page.items if str(one.id) == tested), None),
        pager=turn(visit, page.cursor),
        typed=typed or _typed(found),
        errors=_told(visit, faults),
        overlaps=[(hours, visit.say(*said)) for hours, said in OVERLAPS.items()],
        spans=[(hours, visit.say(*said)) for hours, said in SPANS.items()],
        **_where(visit),
    )


async def _show_secret(visit: Visit, made: Channel) -> Response:
    """The page itself answers: a redirect would have to carry the secret in an address or a cookie."""
    answer = await visit.show("channel_secret.html", channel=made, secret=made.secret)
    answer.headers["Cache-Control"] = "no-store"
    return answer


async def _show_form(visit: Visit, typed: Typed, faults: Sequence[Finding] = ()) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, await tenants.visible_to(tx, visit.actor))
    return await visit.show(
        "channel_new.html",
        422 if faults else 200,
        units=tree.choices(),
        typed=typed,
        errors=_told(visit, faults),
        **_where(visit),
    )


def _find_faults(typed: Typed, *, needs_token: bool) -> list[Finding]:
    """The token beside the rest: each field that does not fit has its sentence."""
    found: list[Finding] = []
    token = _plain(typed.token)
    try:
        typed.as_form()
    except FieldsRefused as error:
        found += error.findings
    try:
        if needs_token or (token and typed.kind == "telegram"):
            read_bot_id(token)
    except BadToken as error:
        found.append(find_wrong(error, "token"))
    return found


def _told(visit: Visit, faults: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(field, visit.say(*text)) for field, text in texts_by_field(faults).items()]


def _row(channel: Channel, places: dict[int, str]) -> Row:
    look, word = _state(channel)
    return Row(channel, places.get(channel.unit_id, ""), look, word)


def _state(channel: Channel) -> tuple[Look, Pair]:
    if not channel.is_active:
        return "end", ("off", "꺼 둠")
    if channel.stopped_at is not None:
        return "fail", ("stopped", "멈춤")
    if channel.last_error is not None:
        return "attn", ("trouble", "문제 있음")
    return ("wait", ("never used", "아직 안 씀")) if channel.last_ok_at is None else ("good", ("works", "정상"))


def _typed(channel: Channel) -> Typed:
    return Typed(
        name=channel.name,
        unit_id=channel.unit_id,
        kind=cast("KindName", channel.kind),
        address=channel.address or "",
        chat_id=channel.chat_id,
        lang=channel.lang,
        least_level=channel.least_level.value,
        wants="\n".join(channel.wants),
        is_active="yes" if channel.is_active else "",
        is_two_way="yes" if channel.is_two_way else "",
    )


def _where(visit: Visit) -> dict[str, Any]:
    """What the forms and the how-to need: the levels, examples, and which Telegram this server talks to."""
    url = visit.services.settings.telegram_url
    return {
        "levels": [(level.value, visit.voice.status_word("notice", level)) for level in Level],
        "examples": EXAMPLES,
        "why": _why(visit),
        "has_mail": visit.services.mailer.server is not None,
        "simulator": None if url.startswith("https://api.telegram.org") else url,
    }


def _why(visit: Visit) -> Callable[[str], str]:
    """What is kept of a failure, in the reader's language."""
    return lambda reason: notifications.explain(reason, visit.lang)


def _plain(text: str) -> str:
    return text.strip().replace("\0", "")
