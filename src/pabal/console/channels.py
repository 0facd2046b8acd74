"""Channels: the Telegram chats that notifications go to. Add, edit, test, remove, and see what went through."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.platform import notifications, tenants
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Look
from pabal.platform.notifications import BadChannel, BadToken, Channel, ChannelForm, Level
from pabal.platform.notifications.model import read_bot_id
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

ChannelId = Annotated[int, Path(gt=0, lt=2**63)]
Faults = list[tuple[str, str]]


class Typed(BaseModel):
    """What the form sent, as it is: longer than allowed is said at its field."""

    name: Annotated[str, Form(max_length=1000)] = ""
    unit_id: Annotated[int, Form(ge=0, lt=2**63)] = 0
    chat_id: Annotated[str, Form(max_length=1000)] = ""
    token: Annotated[str, Form(max_length=1000)] = ""
    lang: str = "ko"
    least_level: str = Level.ATTENTION.value
    wants: Annotated[str, Form(max_length=10_000)] = ""
    is_active: str = ""

    def as_form(self) -> ChannelForm:
        return ChannelForm(
            name=_plain(self.name),
            chat_id=_plain(self.chat_id),
            token=_plain(self.token) or None,
            lang="en" if self.lang == "en" else "ko",
            least_level=Level(self.least_level) if self.least_level in list(Level) else Level.ATTENTION,
            wants=tuple(self.wants.replace(",", " ").split()),
            is_active=bool(self.is_active),
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
async def new_channel(visit: Visitor) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    blank = Typed(unit_id=visit.scope.unit_id or 0, lang=visit.lang, is_active="yes")
    return await _show_form(visit, blank)


@router.post(HOME)
async def add_channel(visit: Visitor, typed: Annotated[Typed, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    faults = _find_faults(visit, typed, needs_token=True)
    if faults:
        return await _show_form(visit, typed, faults)
    try:
        async with visit.change() as tx:
            vault = visit.services.vault
            made = await notifications.add_channel(tx, visit.actor, vault, typed.as_form(), unit_id=typed.unit_id)
    except (Conflict, NotFound) as error:
        field = "name" if isinstance(error, Conflict) else "unit_id"
        return await _show_form(visit, typed, [(field, explain(error, visit.lang))])
    said: Pair = ("Added. Send a test to see whether it arrives.", "더했습니다. 시험을 보내 도착하는지 보세요.")
    return visit.go(f"{HOME}/{made.id}", said=said)


@router.get(f"{HOME}/{{channel_id}}")
async def channel(visit: Visitor, channel_id: ChannelId, cursor: Word = "", tested: Word = "") -> Response:
    return await _show_channel(visit, channel_id, cursor=cursor, tested=tested)


@router.post(f"{HOME}/{{channel_id}}")
async def edit_channel(visit: Visitor, channel_id: ChannelId, typed: Annotated[Typed, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    faults = _find_faults(visit, typed, needs_token=False)
    if faults:
        return await _show_channel(visit, channel_id, typed=typed, faults=faults)
    try:
        async with visit.change() as tx:
            await notifications.edit_channel(tx, visit.actor, visit.services.vault, channel_id, typed.as_form())
    except Conflict as error:
        return await _show_channel(visit, channel_id, typed=typed, faults=[("name", explain(error, visit.lang))])
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
    faults: Faults | None = None,
) -> Response:  # long: a page, its cursor, its test, and a form that did not fit
    async with visit.read() as tx:
        found = await notifications.get_channel(tx, visit.actor, channel_id)
        deliveries = await notifications.list_deliveries(
            tx, visit.actor, channel_id, before=read_before(cursor), limit=PAGE + 1
        )
        place = (await tenants.get_unit(tx, found.unit_id)).name
    page = cut_by_id(deliveries, PAGE)
    return await visit.show(
        "channel.html",
        422 if faults else 200,
        row=_row(found, {found.unit_id: place}),
        deliveries=page.items,
        test=next((one for one in page.items if str(one.id) == tested), None),
        pager=turn(visit, page.cursor),
        typed=typed or _typed(found),
        errors=faults or [],
        **_where(visit),
    )


async def _show_form(visit: Visit, typed: Typed, faults: Faults | None = None) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, await tenants.visible_to(tx, visit.actor))
    return await visit.show(
        "channel_new.html",
        422 if faults else 200,
        units=tree.choices(),
        typed=typed,
        errors=faults or [],
        **_where(visit),
    )


def _find_faults(visit: Visit, typed: Typed, *, needs_token: bool) -> Faults:
    """Each field that does not fit, with what it should be: the room itself says only that something does not."""
    good = {"name": "-", "chat_id": "1", "wants": ()}
    said: dict[str, Pair] = {
        "name": ("A name has 1 to 100 characters.", "이름은 1~100자입니다."),
        "chat_id": (
            "A chat is a number such as 4242 or -1001234567890, or the @name of a public channel.",
            "채팅은 4242나 -1001234567890 같은 숫자, 또는 공개 채널의 @이름입니다.",
        ),
        "wants": (
            "Up to 20 patterns of small letters, digits, dots and stars, such as alerts.*",
            "소문자, 숫자, 점, 별표로 된 패턴을 20개까지 씁니다. 예: alerts.*",
        ),
    }
    given: dict[str, Any] = {
        "name": _plain(typed.name),
        "chat_id": _plain(typed.chat_id),
        "wants": tuple(typed.wants.replace(",", " ").split()),
    }
    found: Faults = []
    for field, value in given.items():
        try:
            ChannelForm(**{**good, field: value})
        except BadChannel:
            found.append((field, visit.say(*said[field])))
    return found + _find_token_faults(visit, _plain(typed.token), needs_token=needs_token)


def _find_token_faults(visit: Visit, token: str, *, needs_token: bool) -> Faults:
    try:
        if token or needs_token:
            read_bot_id(token)
    except Invalid:
        return [("token", explain(BadToken(), visit.lang))]
    return []


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
        chat_id=channel.chat_id,
        lang=channel.lang,
        least_level=channel.least_level.value,
        wants="\n".join(channel.wants),
        is_active="yes" if channel.is_active else "",
    )


def _where(visit: Visit) -> dict[str, Any]:
    """What the forms and the how-to need: the levels, examples, and which Telegram this server talks to."""
    url = visit.services.settings.telegram_url
    return {
        "levels": [(level.value, visit.voice.status_word("notice", level)) for level in Level],
        "examples": EXAMPLES,
        "simulator": None if url.startswith("https://api.telegram.org") else url,
    }


def _plain(text: str) -> str:
    return text.strip().replace("\0", "")
