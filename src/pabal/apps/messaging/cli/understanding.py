"""Makes a schedule of the options of a command: what is not said stays as it was, or as it is without being said."""

from dataclasses import dataclass, replace

from pabal.apps.messaging.cli.finding import find_bot, find_room, find_template
from pabal.apps.messaging.cli.timing import Timed, read_when
from pabal.apps.messaging.cli.trying import Try, read_text, upload
from pabal.apps.messaging.errors import BotNotInRoom
from pabal.apps.messaging.model.content import Content, SendOrder
from pabal.apps.messaging.model.rooms import Room
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, Schedule, ScheduleState
from pabal.apps.messaging.store.rooms import get_room
from pabal.platform.commands.options import find_unit, see
from pabal.platform.commands.shell import Shell

LONGEST_TITLE = 40


@dataclass(frozen=True)
class Given:
    """As it was typed; None was not said."""

    room: str | None
    bot: str | None
    org: str | None
    template: str | None
    title: str | None
    description: str | None
    text: str | None
    images_1: list[str] | None
    images_2: list[str] | None
    order: SendOrder | None
    interval: int | None
    wait_1: int | None
    wait_2: int | None
    late: LatePolicy | None
    is_active: bool | None
    timed: Timed


async def understand(shell: Shell, here: Try, given: Given, old: Schedule | None) -> NewSchedule:
    place = await _place(shell, here, given, old)
    content, template_id = await _content(shell, here, given, old, place)
    return NewSchedule(
        title=_title(given, content, old),
        room_id=place.room.id,
        bot_id=place.bot_id,
        content=content,
        when=read_when(given.timed, here.tx.now, None if old is None else old.when),
        description=_description(given, old),
        late_policy=given.late or (LatePolicy.WINDOW if old is None else old.late_policy),
        is_active=_is_active(given, old),
        template_id=template_id,
        unit_id=place.unit_id,
    )


@dataclass(frozen=True)
class _Place:
    """`unit_id` None: the room's."""

    room: Room
    bot_id: int
    unit_id: int | None


async def _place(shell: Shell, here: Try, given: Given, old: Schedule | None) -> _Place:
    tx, scope = here.tx, await see(here.tx, shell)
    if old is not None and given.room is None:
        room = await get_room(tx, scope, old.room_id)
    else:
        room = await find_room(tx, scope, given.room or "")
    stays = old is not None and old.room_id == room.id
    bot_id = old.bot_id if old is not None and stays else 0
    if given.bot is not None:
        bot_id = (await find_bot(tx, scope, given.bot)).id
    unit_id = old.unit_id if old is not None and stays else None
    if given.org is not None:
        unit_id = (await find_unit(tx, given.org)).id
    return _Place(room, bot_id or _first_bot(room), unit_id)


def _first_bot(room: Room) -> int:
    if not room.bots:
        raise BotNotInRoom(room.name)
    return room.bots[0].bot_id


async def _content(
    shell: Shell, here: Try, given: Given, old: Schedule | None, place: _Place
) -> tuple[Content, int | None]:
    content, template_id = (Content(), None) if old is None else (old.content, old.template_id)
    if given.template is not None:
        found = await find_template(here.tx, await see(here.tx, shell), given.template)
        content = replace(content, text=found.text, images_1=found.images_1, images_2=found.images_2)
        template_id = found.id
    if given.text is not None:
        content = replace(content, text=read_text(given.text))
    owner = place.unit_id or place.room.unit_id
    if given.images_1 is not None:
        content = replace(content, images_1=await upload(shell, here, given.images_1, owner))
    if given.images_2 is not None:
        content = replace(content, images_2=await upload(shell, here, given.images_2, owner))
    waits = {
        "send_order": given.order,
        "send_interval_seconds": given.interval,
        "media_wait_1": given.wait_1,
        "media_wait_2": given.wait_2,
    }
    said = {name: value for name, value in waits.items() if value is not None}
    return replace(content, **said), template_id  # type: ignore[arg-type]  # each name has its own type


def _title(given: Given, content: Content, old: Schedule | None) -> str:
    """Without one: the first line of the text, or the first image's name."""
    if given.title is not None:
        return given.title
    if old is not None:
        return old.title
    lines = [line.strip() for line in (content.text or "").splitlines() if line.strip()]
    names = [picture.name for picture in (*content.images_1, *content.images_2)]
    first = next(iter([*lines, *names]), "")
    return first if len(first) <= LONGEST_TITLE else first[: LONGEST_TITLE - 1] + "…"


def _description(given: Given, old: Schedule | None) -> str:
    if given.description is not None:
        return given.description
    return "" if old is None else old.description


def _is_active(given: Given, old: Schedule | None) -> bool:
    """One that is over comes back with its new moments."""
    if given.is_active is not None:
        return given.is_active
    return old is None or old.state in (ScheduleState.ACTIVE, ScheduleState.COMPLETED)
