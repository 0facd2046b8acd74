"""What the form of a schedule shows: what was typed, what there is to choose from, and what would come of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import checking
from pabal.apps.messaging.actions.checking import Checked
from pabal.apps.messaging.errors import RoomNotFound
from pabal.apps.messaging.model.bulks import RoomGroup
from pabal.apps.messaging.model.content import Content, ImageMode, Pace, Template
from pabal.apps.messaging.model.preview import Bubble, bubbles
from pabal.apps.messaging.model.rooms import Room, RoomType
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType
from pabal.apps.messaging.pages.form_draft import ZONES, Draft, understand
from pabal.apps.messaging.resources.images import CONTENT
from pabal.apps.messaging.resources.schedules import MessageScheduleView
from pabal.apps.messaging.store.bots import find_bot
from pabal.apps.messaging.store.groups import list_groups
from pabal.apps.messaging.store.rooms import get_room, list_rooms
from pabal.apps.messaging.store.templates import list_templates
from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine import recurrence
from pabal.platform.findings import Finding, texts_by_field
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.settings import values
from pabal.platform.tenants import Unit, list_units, visible_to
from pabal.platform.web.lists import read_number
from pabal.platform.web.visit import Visit

MOST_CHOICES = 500
_SETTINGS = (
    settings.MAX_TEXT_LENGTH, settings.WARN_TEXT_LENGTH, settings.MAX_IMAGES_PER_GROUP, settings.MAX_IMAGE_BYTES,
    settings.FOLD_LENGTH, settings.IMAGE_GAP_MS, settings.CATCHUP_WINDOW, settings.RETRY_HORIZON,
)  # fmt: skip
NOT_YET: Pair = ("not chosen yet", "아직 정하지 않음")
NAMES: dict[str, Pair] = {
    **{name: about.label for name, about in MessageScheduleView.fields.items()},
    "room_type": ("Room type", "톡방 종류"),
    "room_id": ("Room", "톡방"),
    "bot_id": ("Bot", "봇"),
    "unit_id": ("On behalf of", "조직"),
    "zone": MessageScheduleView.fields["timezone"].label,
    "template_name": ("Template name", "템플릿 이름"),
}
_TOPICS = {
    "rights": {
        "room_not_found", "bot_not_found", "bot_not_in_room", "no_bot_in_room", "unit_not_found", "room_not_below_unit",
        "bot_offline", "bot_excluded", "device_pending", "title_says_test", "room_unclaimed", "rooms_unclaimed",
        "rooms_without_bot", "rooms_not_below_unit", "bot_in_no_room", "group_not_found",
    },
    "limits": {
        "limit_too_small", "bulk_too_slow", "day_nearly_full", "text_too_long", "text_too_long_in_room",
        "too_many_images", "too_many_images_in_group",
    },
    "conflicts": {"room_busy", "delays_another", "same_text"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    most_text: int
    long_text: int
    most_images: int
    most_mb: int
    fold: int
    image_gap: int
    catch_up: timedelta
    horizon: timedelta


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that was not taken, and why; it is told at its group."""

    group: str
    name: str
    why: Pair
    code: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What was done without leaving the form."""

    text: Pair
    look: str = "good"


@dataclass(frozen=True, slots=True)
class Preview:
    """What would come of it, by the code that does it."""

    new: NewSchedule
    room: Room | None
    problems: tuple[Finding, ...]
    checked: Checked
    bubbles: list[Bubble]
    bot_name: str
    says: Pair

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return self.checked.warnings

    def about(self, topic: str) -> list[Finding]:
        """The findings on rights, limits and conflicts, and the rest."""
        every = [*self.problems, *self.warnings]
        if topic in _TOPICS:
            return [one for one in every if one.code in _TOPICS[topic]]
        known = set().union(*_TOPICS.values())
        return [one for one in every if one.code not in known]


@dataclass(frozen=True)
class FormView:
    """`faults` are those told at the fields; before anything was sent there are none."""

    draft: Draft
    lang: Lang
    rooms: list[Room]
    templates: list[Template]
    groups: list[RoomGroup]
    units: list[Unit]
    zones: list[tuple[str, str]]
    limits: Limits
    preview: Preview
    faults: tuple[Finding, ...] = ()
    refused: tuple[Refused, ...] = ()
    said: Said | None = None

    @property
    def notes_aside(self) -> list[Finding]:
        """Beside the form, while it is written: nothing about what is still empty."""
        empty = [one for one in self.preview.problems if not getattr(self.draft, one.field, "")]
        told = [one for one in self.preview.problems if one not in empty or one.code == "images_only_without_images"]
        return [*([] if self.faults else told), *self.preview.warnings]

    @property
    def errors(self) -> dict[str, Pair]:
        return texts_by_field(self.faults)

    @property
    def bots(self) -> list[tuple[int, str]]:
        return sorted({(bot.bot_id, bot.bot_name) for room in self.rooms for bot in room.bots}, key=lambda one: one[1])

    @property
    def test_rooms(self) -> list[Room]:
        return [room for room in self.rooms if room.room_type is RoomType.TEST and room.bots]

    @property
    def pacing(self) -> list[str]:
        """What a template's form carries along so that its preview has a pace."""
        shown = ("text", "images_1", "images_2", "media_wait_1", "media_wait_2")
        return [name for name in CONTENT if name not in shown]

    @property
    def count(self) -> int:
        return len(self.draft.text)

    @property
    def most_text(self) -> int:
        own = self.preview.room.limits.max_text_length if self.preview.room else None
        return own or self.limits.most_text

    def name_of(self, field: str) -> str:
        return f"{put(self.lang, NAMES[field])}: " if field in NAMES else ""


@dataclass(frozen=True, slots=True)
class FormMessages:
    """What the form says besides what it shows. `is_told`: the faults of the draft, at their fields."""

    is_told: bool = False
    more: tuple[Finding, ...] = ()
    refused: tuple[Refused, ...] = ()
    said: Said | None = None


QUIET = FormMessages()


async def load_form(tx: Tx, visit: Visit, draft: Draft, messages: FormMessages = QUIET) -> FormView:
    rooms = await _load_rooms(tx, visit, draft)
    limits = await load_limits(tx)
    preview = await look(tx, visit, draft, rooms, limits)
    told = preview.problems if messages.is_told else ()
    return FormView(
        draft=draft,
        lang=visit.lang,
        rooms=rooms,
        templates=(await list_templates(tx, visit.scope, limit=MOST_CHOICES)).items,
        groups=(await list_groups(tx, visit.scope, limit=MOST_CHOICES)).items,
        units=(await list_units(tx, visit.scope.listed))[:MOST_CHOICES],
        zones=_list_zones(draft.zone, tx.now),
        limits=limits,
        preview=preview,
        faults=(*(_as_finding(one) for one in messages.refused), *messages.more, *told),
        refused=messages.refused,
        said=messages.said,
    )


async def look(tx: Tx, visit: Visit, draft: Draft, rooms: Sequence[Room], limits: Limits) -> Preview:
    understood = understand(draft, {room.id: room for room in rooms}, tx.now)
    new = understood.new
    checked = await checking.check(tx, visit.actor, new, schedule_id=draft.number)
    room = next((one for one in rooms if one.id == new.room_id), None)
    bot = await find_bot(tx, new.bot_id) if room and any(one.bot_id == new.bot_id for one in room.bots) else None
    content = new.content
    if checked.texts:
        # of many rooms the first is shown as it reads it
        room = next((one for one in rooms if one.id == checked.texts[0].room_id), None)
        content = replace(content, text=checked.texts[0].text)
    pace = Pace(bot.image_mode if bot else ImageMode.SINGLE, limits.image_gap)
    at = next((one.moment for one in checked.upcoming if one.is_sent), tx.now)
    name = bot.name if bot else ""
    # what could not be read is told once, by whoever saw it first; moments of a made-up time are told to nobody
    unread = {one.field for one in understood.faults}
    is_timed = not unread & {"schedule_type", "schedule_time", "schedule_date", "more_times", "every_weeks"}
    return Preview(
        new=new,
        room=room,
        problems=(*understood.faults, *(one for one in checked.problems if one.field not in unread)),
        checked=checked if is_timed else replace(checked, upcoming=()),
        bubbles=show_bubbles(content, pace, name, at, limits.fold),
        bot_name=name,
        says=describe(new, tx.now) if is_timed else NOT_YET,
    )


def show_bubbles(content: Content, pace: Pace, bot_name: str, at: datetime, fold: int) -> list[Bubble]:
    return bubbles(content, pace, bot_name=bot_name, at=at, fold_length=fold)


def describe(new: NewSchedule, now: datetime) -> Pair:
    """The rule in words, its zone as times are shown here: 매일 09:20 KST."""
    when = new.when
    try:
        zone = when.valid_from.astimezone(ZoneInfo(when.zone)).tzname() or when.zone
        if when.schedule_date is not None and when.schedule_type == ScheduleType.ONCE:
            return _describe_once(datetime.combine(when.schedule_date, when.schedule_time), ZoneInfo(when.zone), now)
        said = (recurrence.describe(when.timing, "en"), recurrence.describe(when.timing, "ko"))
    except (Invalid, ValueError, OSError, LookupError):
        return NOT_YET
    return said[0].replace(f"({when.zone})", zone), said[1].replace(f"({when.zone})", zone)


def _describe_once(wall: datetime, zone: ZoneInfo, now: datetime) -> Pair:
    def show(lang: Lang) -> str:
        return show_moment(wall.replace(tzinfo=zone), zone, lang, now=now, seconds=wall.second > 0)

    return f"Once, {show('en')}", f"{show('ko')} 한 번"


async def load_limits(tx: Tx) -> Limits:
    found = await values(tx, _SETTINGS)
    return Limits(
        most_text=found[settings.MAX_TEXT_LENGTH],
        long_text=found[settings.WARN_TEXT_LENGTH],
        most_images=found[settings.MAX_IMAGES_PER_GROUP],
        most_mb=found[settings.MAX_IMAGE_BYTES],
        fold=found[settings.FOLD_LENGTH],
        image_gap=found[settings.IMAGE_GAP_MS],
        catch_up=found[settings.CATCHUP_WINDOW],
        horizon=found[settings.RETRY_HORIZON],
    )


async def _load_rooms(tx: Tx, visit: Visit, draft: Draft) -> list[Room]:
    """Those in the chosen scope, and the one that is chosen already."""
    rooms = (await list_rooms(tx, visit.scope, limit=MOST_CHOICES)).items
    chosen = read_number(draft.room_id)
    if chosen is None or any(room.id == chosen for room in rooms):
        return rooms
    try:
        return [*rooms, await get_room(tx, await visible_to(tx, visit.actor), chosen)]
    except RoomNotFound:
        return rooms


def _list_zones(chosen: str, now: datetime) -> list[tuple[str, str]]:
    names = ZONES if chosen in ZONES or not chosen else (chosen, *ZONES)
    return [(name, _show_zone(name, now)) for name in names]


def _show_zone(name: str, now: datetime) -> str:
    try:
        local = now.astimezone(ZoneInfo(name))
    except (ValueError, OSError, LookupError):
        return name
    offset = local.strftime("%z")
    return f"{name} ({local.tzname()}, UTC{offset[:3]}:{offset[3:]})"


def _as_finding(refused: Refused) -> Finding:
    english, korean = (f"{refused.name}: {sentence}" for sentence in refused.why)
    return Finding(refused.code, refused.group, (english, korean))
