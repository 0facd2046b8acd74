"""Checks a schedule before it is saved: what refuses it, what is worth knowing, and what it will do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import audiences, capacity
from pabal.apps.messaging.actions.audiences import Resolved
from pabal.apps.messaging.errors import BotNotFound, RoomNotFound, TemplateNotFound
from pabal.apps.messaging.model import checks, upcoming, variables
from pabal.apps.messaging.model.bots import Bot, DeviceState
from pabal.apps.messaging.model.bulks import Audience, RoomText
from pabal.apps.messaging.model.capacity import Estimate
from pabal.apps.messaging.model.checks import Allowed, say
from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, Content, Pace, Part, Picture, SendOrder, plan_parts
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.model.limits import SETTINGS, resolve, to_engine
from pabal.apps.messaging.model.rooms import Budget, BudgetRow, Room, RoomLimits, RoomType, limit_name
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleType
from pabal.apps.messaging.model.upcoming import Around, Neighbour, UpcomingSend
from pabal.apps.messaging.store.bots import get_bot
from pabal.apps.messaging.store.rooms import get_room, list_namesakes
from pabal.apps.messaging.store.schedules import find_same_text, get_schedule, list_neighbours
from pabal.apps.messaging.store.statistics import list_uses
from pabal.apps.messaging.store.templates import EVERYTHING, get_picture_file, get_template
from pabal.base.database import Tx
from pabal.engine import occurrences
from pabal.platform import storage
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import Finding
from pabal.platform.settings import Values, values
from pabal.platform.storage import FileNotFound
from pabal.platform.tenants import Scope, UnitNotFound, ensure_hq, get_unit, visible_to

AREA = "messaging"
# Of a day's sends, from here on the form says so.
_NEARLY = 0.8
_UNKNOWN = ("unknown", "모름")


@dataclass(frozen=True, slots=True)
class Checked:
    """`problems` refuse, `warnings` do not. `upcoming` is empty while the time cannot be read."""

    problems: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    upcoming: tuple[UpcomingSend, ...]
    parts: tuple[Part, ...]
    budget: Budget | None
    room: Room | None = None
    # of one that goes to many rooms: which, and how long the bots need
    bulk: Resolved | None = None
    estimate: Estimate | None = None
    texts: tuple[RoomText, ...] = ()

    def begins_at(self, now: datetime) -> datetime:
        """When it is sent next, or now."""
        return next((one.moment for one in self.upcoming if one.is_sent), now)


@dataclass(frozen=True, slots=True)
class Survey:
    """A check, and what it is about as it would be saved: cleaned, with its owner. Saved only without problems."""

    new: NewSchedule
    unit_id: int
    checked: Checked


@dataclass(frozen=True, slots=True)
class _Ground:
    """Where it would stand. What was not found is None, and said in `problems`."""

    scope: Scope
    values: Values
    room: Room | None
    bot: Bot | None
    unit_id: int
    problems: tuple[Finding, ...]
    bulk: Resolved | None = None

    @property
    def limits(self) -> RoomLimits:
        return resolve(RoomLimits() if self.room is None else self.room.limits, self.values)

    @property
    def allowed(self) -> Allowed:
        said, limits = self.values, self.limits
        return Allowed(
            limits,
            max_text_length=limits.max_text_length or said[settings.MAX_TEXT_LENGTH],
            warn_text_length=said[settings.WARN_TEXT_LENGTH],
            max_images_per_group=said[settings.MAX_IMAGES_PER_GROUP],
            max_images=said[settings.MAX_IMAGES],
        )


async def check(tx: Tx, actor: Actor, new: NewSchedule, *, schedule_id: int | None = None) -> Checked:
    """As saving it would: for forms, while they are written. With `schedule_id`, as an edit of that one."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    old = None if schedule_id is None else await get_schedule(tx, scope, schedule_id)
    return (await survey(tx, actor, new, old)).checked


async def survey(tx: Tx, actor: Actor, new: NewSchedule, old: Schedule | None) -> Survey:
    new = checks.clean(new)
    resolved = None
    if new.audience is not None:
        resolved = await audiences.resolve(tx, await visible_to(tx, actor), new.audience)
        new = _lead(new, resolved)
    ground = await _look(tx, actor, new, resolved)
    content, problems = await describe(tx, ground.scope, new.content)
    new = replace(new, content=content)
    problems = [*ground.problems, *problems, *checks.list_problems(new, ground.allowed)]
    problems += _list_text_problems(ground, new, old, tx.now)
    # What was due before may be edited without giving it a new time: it stays completed.
    is_same_time = old is not None and old.when == new.when
    unreadable = [] if is_same_time else list(checks.list_when_problems(new.when, tx.now))
    around = await _look_around(tx, ground, new, old)
    ahead = () if unreadable else upcoming.list_upcoming(new.when, around)
    warnings = [*checks.list_text_warnings(content, ground.allowed), *await _list_warnings(tx, ground, new, old)]
    warnings += _list_meetings(ground, new, ahead, around)
    budget = None
    if ground.room is not None:
        budget = await read_budget(tx, ground.room, components=max(1, len(content.components)))
    found = checks.without_repeats([*problems, *unreadable])
    checked = Checked(found, (), ahead, _parts(ground, new), budget, bulk=resolved)
    if resolved is not None and resolved.rooms and new.bot_id and not unreadable:
        expected = await _foresee(tx, ground, new, checked, old)
        warnings += [find("bulk_too_slow", "window_minutes", says=expected.says)] if expected.late else []
        texts = tuple(_fill(new, resolved, checked.begins_at(tx.now)))
        checked = replace(checked, estimate=expected, texts=texts)
    checked = replace(checked, warnings=checks.without_repeats(warnings))
    return Survey(new, ground.unit_id, checked)


def _fill(new: NewSchedule, resolved: Resolved, at: datetime) -> Iterator[RoomText]:
    """As each room would read it at its next moment."""
    local = at.astimezone(ZoneInfo(new.when.zone))
    for room in resolved.rooms:
        words = variables.values_of(room.name, room.unit_name, local, room.columns)
        text = variables.fill(new.content.text or "", words)
        yield RoomText(room.room_id, room.name, text or None)


async def _foresee(tx: Tx, ground: _Ground, new: NewSchedule, checked: Checked, old: Schedule | None) -> Estimate:
    bulk = ground.bulk
    rooms, audience = ((), Audience()) if bulk is None else (bulk.rooms, bulk.audience)
    at, but = checked.begins_at(tx.now), None if old is None else old.id
    return await capacity.foresee(tx, new, audience, rooms, parts=checked.parts, at=at, values=ground.values, but=but)


def _lead(new: NewSchedule, resolved: Resolved) -> NewSchedule:
    """Room and bot are the first of many: what knows of one room only sees that one."""
    first = resolved.rooms[0] if resolved.rooms else None
    wanted = new.bot_id
    if first is not None and not wanted and first.speakers:
        wanted = min(first.speakers, key=lambda one: (one.turn is None, one.turn or 0, one.bot_name)).bot_id
    room_id = new.room_id if first is None else first.room_id
    return replace(new, room_id=room_id, bot_id=wanted, audience=resolved.audience)


async def _look(tx: Tx, actor: Actor, new: NewSchedule, resolved: Resolved | None) -> _Ground:
    scope = await visible_to(tx, actor)
    problems: list[Finding] = []
    room: Room | None = None
    bot: Bot | None = None
    try:
        room = await get_room(tx, scope, new.room_id)
    except RoomNotFound:
        problems.append(find("room_not_found", "room_id"))
    try:
        bot = await get_bot(tx, scope, new.bot_id)
    except BotNotFound:
        problems.append(find("bot_not_found", "bot_id"))
    if new.template_id is not None:
        try:
            await get_template(tx, scope, new.template_id)
        except TemplateNotFound:
            problems.append(find("template_not_found", "template_id"))
    said = await values(tx, settings.ALL)
    if resolved is not None:
        # with no room at all, that there is none is what is said
        problems = [*resolved.problems, *(one for one in problems if resolved.rooms)]
        owner = new.unit_id or resolved.unit_id or scope.unit_id or (await ensure_hq(tx)).id
        problems += _list_strangers_everywhere(resolved, bot)
        problems += await _list_rooms_of_others(tx, actor, owner, resolved)
        return _Ground(scope, said, room, bot, owner, tuple(problems), resolved)
    if room is not None and room.unit_id is None:
        problems.append(find("room_unclaimed", "room_id", room=room.name))
    if room is not None and bot is not None:
        problems += _list_strangers(room, bot)
    owned = new.unit_id if new.unit_id is not None else None if room is None else room.unit_id
    problems += await _list_owner_problems(tx, actor, owned, room)
    unit_id = owned if owned is not None else scope.unit_id
    return _Ground(scope, said, room, bot, unit_id or 0, tuple(problems))


def _list_strangers_everywhere(resolved: Resolved, bot: Bot | None) -> Iterator[Finding]:
    is_somewhere = bot is not None and any(one.bot_id == bot.id for room in resolved.rooms for one in room.speakers)
    if bot is not None and resolved.rooms and not is_somewhere:
        yield find("bot_in_no_room", "bot_id", bot=bot.name)


async def _list_rooms_of_others(tx: Tx, actor: Actor, owner: int, resolved: Resolved) -> list[Finding]:
    try:
        below = await visible_to(tx, actor, within=owner)
    except UnitNotFound:
        return [find("unit_not_found", "unit_id")]
    others = [one.name for one in resolved.rooms if one.unit_id is not None and not below.holds(one.unit_id)]
    if not others:
        return []
    unit, shown = await get_unit(tx, owner), ", ".join(others[:5])
    return [find("rooms_not_below_unit", "rooms", rooms=shown, count=len(others), unit=unit.name)]


def _list_text_problems(ground: _Ground, new: NewSchedule, old: Schedule | None, now: datetime) -> Iterator[Finding]:
    """Words in braces that nobody knows; and what each of many rooms would read."""
    text = new.content.text or ""
    columns = ground.bulk.columns if ground.bulk is not None else set()
    unknown = variables.list_unknown(text, columns)
    # saved before there were variables: what was sent until now may be
    is_kept = old is not None and old.content.text == text and old.audience is None and new.audience is None
    if unknown and not is_kept:
        known = ", ".join(f"{{{name}}}" for name in (*variables.BUILT_IN, *sorted(columns)))
        yield find("variable_unknown", "text", names=", ".join(f"{{{name}}}" for name in unknown), known=known)
    for room in () if ground.bulk is None else ground.bulk.rooms:
        own = resolve(room.limits, ground.values)
        filled = variables.fill(text, variables.values_of(room.name, room.unit_name, now, room.columns))
        most = own.max_text_length or ground.values[settings.MAX_TEXT_LENGTH]
        if new.content.components and not replace(new.content, text=filled.strip()).components:
            yield find("text_empty_in_room", "text", room=room.name)
            return
        if len(filled) > most:
            yield find("text_too_long_in_room", "text", room=room.name, length=len(filled), most=most)
            return


def _list_strangers(room: Room, bot: Bot) -> Iterator[Finding]:
    names = [each.bot_name for each in room.bots]
    if bot.name in names:
        return
    if names:
        yield find("bot_not_in_room", "bot_id", bot=bot.name, room=room.name, bots=", ".join(names))
    else:
        yield find("no_bot_in_room", "bot_id", bot=bot.name, room=room.name)


async def _list_owner_problems(tx: Tx, actor: Actor, owner: int | None, room: Room | None) -> list[Finding]:
    """The room belongs to the owner or to a unit below it; what nobody claimed is the house's."""
    if owner is None:
        return []
    try:
        below = await visible_to(tx, actor, within=owner)
    except UnitNotFound:
        return [find("unit_not_found", "unit_id")]
    if room is None or below.holds(room.unit_id):
        return []
    unit = await get_unit(tx, owner)
    return [find("room_not_below_unit", "unit_id", room=room.name, unit=unit.name)]


async def _look_around(tx: Tx, ground: _Ground, new: NewSchedule, old: Schedule | None) -> Around:
    neighbours: list[Neighbour] = []
    if ground.room is not None:
        but = None if old is None else old.id
        neighbours = await list_neighbours(tx, ground.scope, ground.room.id, but=but)
    asked: dict[int, list[datetime]] = {}
    if old is not None and old.timetable_id is not None:
        asked = await occurrences.list_asked(tx, [old.timetable_id], after=tx.now)
    return Around(
        tx.now,
        gap=timedelta(seconds=ground.limits.min_gap_seconds or 0),
        neighbours=neighbours,
        skipped=[moment for moments in asked.values() for moment in moments],
        is_paused=not new.is_active,
        bot_reason=_bot_reason(ground.bot),
    )


def _bot_reason(bot: Bot | None) -> str | None:
    if bot is None or bot.state == "online":
        return None
    return f"bot_{bot.state}"


async def _list_warnings(tx: Tx, ground: _Ground, new: NewSchedule, old: Schedule | None) -> list[Finding]:
    """About the room and the bot."""
    warnings: list[Finding] = []
    zone = ZoneInfo("Asia/Seoul")
    if ground.bot is not None:
        warnings += _list_bot_warnings(ground.bot, zone, tx)
    if ground.room is None:
        return warnings
    if ground.bot is not None:
        warnings += await _list_name_warnings(tx, ground.room, ground.bot)
    if ground.room.room_type is RoomType.PRODUCTION and checks.says_test(new.title):
        warnings.append(find("title_says_test", "title", room=ground.room.name))
    days, text = ground.values[settings.SAME_TEXT_DAYS], new.content.text
    if days and text is not None and new.content.send_order is not SendOrder.IMAGES_ONLY:
        since, but = tx.now - timedelta(days=days), None if old is None else old.id
        same = await find_same_text(tx, ground.scope, ground.room.id, text, since=since, but=but)
        if same is not None:
            title = Neighbour(same[0], new.when).shown
            warnings.append(find("same_text", "text", title=title, days=days))
    return warnings


async def _list_name_warnings(tx: Tx, room: Room, bot: Bot) -> list[Finding]:
    """Whose the other room is, is not said: it may be out of sight."""
    for each in room.bots:
        if each.bot_id == bot.id:
            values = {"bot": bot.name, "name": each.room_name}
            if each.is_held:
                return [find("room_name_shared", "room_id", **values)]
            if await list_namesakes(tx, [(bot.id, each.room_name)], but=room.id):
                return [find("room_name_repeated", "room_id", **values)]
    return []


def _list_bot_warnings(bot: Bot, zone: ZoneInfo, tx: Tx) -> Iterator[Finding]:
    if bot.state == "excluded":
        yield find("bot_excluded", "bot_id", bot=bot.name, reason=bot.excluded_reason)
    elif bot.devices and not any(device.state == DeviceState.APPROVED for device in bot.devices):
        yield find("device_pending", "bot_id", bot=bot.name)
    elif not bot.is_connected:
        ping = _UNKNOWN if bot.last_ping_at is None else say(bot.last_ping_at, zone, tx.now)
        yield find("bot_offline", "bot_id", bot=bot.name, ping=ping)


def _list_meetings(
    ground: _Ground, new: NewSchedule, ahead: tuple[UpcomingSend, ...], around: Around
) -> Iterator[Finding]:
    """About its moments, and those of others in the room."""
    sent = [one for one in ahead if one.excluded in (None, "paused")]
    if not sent:
        return
    zone = ZoneInfo(new.when.zone)
    yield from upcoming.list_conflicts(new.when, ahead, around)
    if len(sent) == 1 and new.when.schedule_type is not ScheduleType.ONCE:
        yield find("fires_only_once", "valid_until", at=say(sent[0].moment, zone, around.now))
    most = ground.limits.dispatches_per_day
    count = upcoming.count_day(new.when, sent[0].moment, around)
    if most and count >= most * _NEARLY:
        at = say(sent[0].moment, zone, around.now)
        yield find("day_nearly_full", "room_id", at=at, count=count, most=most)


def _parts(ground: _Ground, new: NewSchedule) -> tuple[Part, ...]:
    pace = Pace(image_gap_ms=ground.values[settings.IMAGE_GAP_MS])
    if ground.bot is not None:
        pace = replace(pace, image_mode=ground.bot.image_mode)
    return tuple(plan_parts(new.content, pace))


async def read_fold(tx: Tx) -> int:
    """From how many signs on KakaoTalk folds a text."""
    return (await values(tx, (settings.FOLD_LENGTH,)))[settings.FOLD_LENGTH]


async def read_budget(tx: Tx, room: Room, *, components: int = 1) -> Budget:
    """For a send of so many messages; of more than ever fit, as many as fit are asked for."""
    own = resolve(room.limits, await values(tx, SETTINGS))
    fitting = [one for one in (own.messages_per_minute, own.messages_per_hour, own.messages_per_day) if one]
    asked = to_engine(room.id, own, max(1, min([components, *fitting])), is_resumed=False)
    rows = tuple(
        BudgetRow(limit_name(f"{key} {window.name}"), use.used, window.most, window.span, use.free_at)
        for key, window, use in await list_uses(tx, asked)
    )
    last = max(rows, key=lambda row: row.next_allowed_at or tx.now, default=None)
    if last is None or last.next_allowed_at is None:
        return Budget(rows, None, None)
    return Budget(rows, last.name, last.next_allowed_at)


async def describe(tx: Tx, scope: Scope, content: Content) -> tuple[Content, list[Finding]]:
    """What a form says about its images is not believed: name, type and size are the stored file's."""
    found: dict[str, tuple[Picture, ...]] = {}
    problems: list[Finding] = []
    for group in (IMAGES_1, IMAGES_2):
        pictures: list[Picture] = []
        for given in content.images(group):
            try:
                pictures.append(await _picture(tx, scope, given.file_id))
            except FileNotFound:
                pictures.append(given)
                problems.append(find("image_not_found", group, name=given.name))
        found[group] = tuple(pictures)
    return replace(content, images_1=found[IMAGES_1], images_2=found[IMAGES_2]), problems


async def settle(tx: Tx, about: str, before: Sequence[int], after: Sequence[int]) -> None:
    """From now on `about` shows these files: the others are released. They were looked for with `describe`."""
    # in one order, so that two who share images cannot wait for each other
    for file_id in sorted({*before, *after}):
        if file_id not in after:
            await storage.release(tx, file_id, about)
        elif file_id not in before:
            await storage.keep(tx, EVERYTHING, file_id, about)


async def _picture(tx: Tx, scope: Scope, file_id: int) -> Picture:
    file = await get_picture_file(tx, scope, file_id)
    return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0, file.frames or 1)
