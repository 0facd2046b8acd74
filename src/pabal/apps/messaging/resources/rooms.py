"""Rooms: discovered by bots, claimed by a unit, with limits of their own and a budget to look at."""

from datetime import datetime, timedelta
from typing import Any

from pabal.apps.messaging.model.reasons import LIMITS
from pabal.apps.messaging.model.rooms import Budget, BudgetRow, NewRoom, Room, RoomChange, RoomType
from pabal.apps.messaging.resources.schedules import ROOM_TYPES
from pabal.platform.language.moments import show_span
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, column, field

_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.rooms", f"{_HERE}.store.rooms", f"{_HERE}.cli.finding"
_UNIT = "pabal.platform.commands.options:find_unit_id"
_COLUMNS = ("id", "name", "room_type", "unit_id", "bot_names", "channel_id", "last_message_at")
_OWNER = "Whose it is: number or name. A room nobody has claimed is the head office's, if none is named."
_SAME_NAME = "Also when the bot calls another room that you see by the same name, or schedules depend on it."
# what is too much, the action says
_COUNT = Rules(ge=0, le=2**31 - 1)


class RoomLimitsView(View):
    """A room's own; null is the setting's, 0 is none."""

    min_gap_seconds: int | None = field(LIMITS["min_gap_seconds"], example=None)
    dispatches_per_day: int | None = field(LIMITS["dispatches_per_day"], example=None)
    messages_per_minute: int | None = field(LIMITS["messages_per_minute"], example=3)
    messages_per_hour: int | None = field(LIMITS["messages_per_hour"], example=None)
    messages_per_day: int | None = field(LIMITS["messages_per_day"], example=None)
    max_text_length: int | None = field(LIMITS["max_text_length"], example=None)


class RoomBotView(View):
    """A bot that is in a room."""

    bot_id: int = field(("Bot no.", "봇 번호"), example=1)
    bot_name: str = field(("Bot", "봇"), example="busan1")
    room_name: str = field(
        ("Its name there", "봇이 부르는 이름"), description="What the bot calls the room.", example="부산-운영"
    )
    last_seen_at: datetime = field(("Seen", "본 때"))
    is_held: bool = field(
        ("Held", "보류"),
        description="The bot has this name for another unit's room too: nothing is sent here by it.",
        example=False,
    )
    turn: int | None = field(
        ("Turn", "순서"), description="Its place in the order of bots; null: it never takes over.", example=1
    )


class RoomView(View):
    """A room. `unit_id` is null until somebody claims it."""

    id: int = field(("No.", "번호"), example=3)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    channel_id: str = field(("Channel", "채널ID"), example="18390001")
    name: str = field(("Name", "이름"), example="부산-운영")
    room_type: RoomType = field(("Kind", "종류"), words=ROOM_TYPES)
    note: str = field(("Note", "메모"), example="")
    limits: RoomLimitsView = field(("Limits", "제한"))
    tags: list[str] = field(("Tags", "태그"), example=["점장"])
    bots: list[RoomBotView] = field(("In it", "있는 봇"))
    last_message_at: datetime | None = field(("Last message", "마지막 메시지"))
    claimed_by: str | None = field(("Claimed by", "맡은 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))

    @column(("Bots", "봇"))
    def bot_names(self, _: Lang) -> str:
        return ", ".join(one.bot_name for one in self.bots)

    @column(("Held for its name", "이름이 겹쳐 보류"))
    def held(self, _: Lang) -> str:
        return ", ".join(one.bot_name for one in self.bots if one.is_held)


class BudgetRowView(View):
    """One limit: how much of it is used, and when there is room again."""

    name: str = field(("Limit", "제한"), words=LIMITS, example="min_gap_seconds")
    used: int = field(("Used", "사용"), example=1)
    most: int = field(("Most", "최대"), example=1)
    seconds: float = field(("Seconds", "초"), description="The span it counts.", example=30)
    next_allowed_at: datetime | None = field(("Next allowed", "다음 가능"))
    is_own: bool = field(("The room's own", "톡방 값"), description="Not the setting's.", example=False)

    @column(("Within", "동안"))
    def span(self, lang: Lang) -> str:
        return show_span(timedelta(seconds=self.seconds), lang)

    @column(("Meter", "사용률"))
    def meter(self, _: Lang) -> str:
        share = min(1.0, self.used / self.most) if self.most else 0.0
        full = round(share * 10)
        return f"{'█' * full}{'░' * (10 - full)} {share:.0%}"


class BudgetView(View):
    """`binds` is the limit that lets go last; null: a send may begin now."""

    rows: list[BudgetRowView] = field(("Limits", "제한"))
    binds: str | None = field(("Binds", "막는 제한"), words=LIMITS, example="min_gap_seconds")
    next_allowed_at: datetime | None = field(("Next allowed", "다음 가능"))


def view_room(room: Room, viewer: Viewer) -> RoomView:
    bots = [RoomBotView.of(bot) for bot in room.bots]
    return RoomView.of(room, limits=RoomLimitsView.of(room.limits), tags=list(room.tags), bots=bots)


def view_budget(budget: Budget, room: Room | None) -> BudgetView:
    return BudgetView.of(budget, rows=[_view_row(row, room) for row in budget.rows])


def _view_row(row: BudgetRow, room: Room | None) -> BudgetRowView:
    is_own = room is not None and getattr(room.limits, row.name, None) is not None
    return BudgetRowView.of(row, seconds=row.span.total_seconds(), is_own=is_own)


class RoomFilter(Filter):
    q: str | None = ask("A part of its name, or its channel id.", option="--find", default=None)
    type: RoomType | None = ask("Only of this type.", option="--kind", default=None)
    bot: int | None = ask(
        "Only those this bot is in.", rules=ROW_ID, find=f"{_FIND}:find_bot_id", example=1, default=None
    )
    tag: str | None = ask("Only those with this tag.", example="점장", default=None)
    unclaimed: bool = ask("Instead, those nobody has claimed; the head office's to see.", default=False)


class RoomNew(Ask):
    """A room that no bot has heard anything in yet. `name` is also what the bot calls it."""

    name: str = ask(
        "As the bot calls it: texts are addressed by that.",
        argument=True,
        rules=Rules(max_length=200),
        example="부산-운영",
    )
    channel_id: str = ask(
        "Its channel id: images are addressed by that.",
        option="--channel",
        rules=Rules(max_length=200),
        example="18390001",
    )
    bot_id: int = ask(
        "The bot that is in it: number or name.",
        option="--bot",
        find=f"{_FIND}:find_bot_id",
        rules=ROW_ID,
        example=1,
    )
    unit_id: int | None = ask(_OWNER, option="--org", metavar="UNIT", find=_UNIT, rules=ROW_ID, example=3, default=None)
    room_type: RoomType = ask("For real messages, or for trying out.", option="--kind", default=RoomType.PRODUCTION)
    confirm: bool = ask(_SAME_NAME, option="--yes,-y", default=False)

    def arguments(self) -> dict[str, Any]:
        return {"new": NewRoom(**super().arguments())}


class RoomLimitsEdit(Ask):
    """A room's own; null is the setting's, 0 is none."""

    min_gap_seconds: int | None = ask("At least so many seconds between sends.", rules=_COUNT, default=None)
    dispatches_per_day: int | None = ask("Sends a day.", rules=_COUNT, default=None)
    messages_per_minute: int | None = ask("Messages a minute.", rules=_COUNT, example=3, default=None)
    messages_per_hour: int | None = ask("Messages an hour.", rules=_COUNT, default=None)
    messages_per_day: int | None = ask("Messages a day.", rules=_COUNT, default=None)
    max_text_length: int | None = ask("The longest text.", rules=_COUNT, default=None)


class RoomEdit(Ask):
    """Only what is given changes; within `limits`, too."""

    unit_id: int | None = ask(_OWNER, option="--org", metavar="UNIT", find=_UNIT, rules=ROW_ID, example=3, default=None)
    name: str | None = ask("What it is called here.", rules=Rules(max_length=200), example="부산-운영", default=None)
    room_type: RoomType | None = ask("For real messages, or for trying out.", option="--kind", default=None)
    note: str | None = ask("For whoever looks later.", example="점장님이 보십니다", default=None)
    tags: tuple[str, ...] | None = ask(
        "Words to gather rooms by: said again for each; none at all takes them away.",
        option="--tag",
        example=["점장"],
        default=None,
    )
    bot_order: tuple[int, ...] | None = ask(
        "Which bot speaks first and who takes over when it is away: numbers or names, separated by commas.",
        option="--bots",
        find=f"{_FIND}:find_bot_ids",
        example=[1, 2],
        default=None,
    )
    # of its own command: pabal msg room limits
    limits: RoomLimitsEdit | None = ask("The room's own limits.", rest_only=True, default=None)
    confirm: bool = ask(_SAME_NAME, option="--yes,-y", default=False)

    def arguments(self) -> dict[str, Any]:
        said = super().arguments()
        limits = said.get("limits")
        return {"change": RoomChange(**{**said, "limits": {} if limits is None else limits.arguments()})}


class RoomClaim(RoomEdit):
    """Which unit it belongs to from now on, and what else is to be different."""


class RoomsClaim(Ask):
    """Which unit all of them belong to from now on. Each keeps its name and type."""

    unit_id: int = ask(_OWNER, option="--org", metavar="UNIT", find=_UNIT, rules=ROW_ID, example=3)

    def arguments(self) -> dict[str, Any]:
        return {"change": RoomChange(unit_id=self.unit_id)}


class RoomBotGone(Ask):
    bot_id: int = ask("The bot that is not in it any more: number or name.", argument=True, find=f"{_FIND}:find_bot_id")
    confirm: bool = ask("Also when schedules depend on it.", option="--yes,-y", default=False)


ROOM = Noun(
    "room",
    "rooms",
    "messaging",
    RoomView,
    view=f"{__name__}:view_room",
    find=f"{_STORE}:get_room",
    hold=f"{_STORE}:hold_room",
    named=f"{_FIND}:find_room",
    columns=(*_COLUMNS, "held", "note", "created_at", "updated_at"),
    which="Its number, its name, or its channel id.",
    get_help="Shows one room. How much may be sent there now: pabal msg limits ROOM.",
    title="name",
    page="/messages/rooms/{id}",
)
ROOM.lists(
    "list_rooms",
    "Lists the rooms somebody claimed, by name; with `unclaimed`, those nobody has, the newest first.",
    f"{_STORE}:list_rooms",
    columns=_COLUMNS,
    empty=(
        "No rooms. Those a bot has heard something in: pabal msg room list --unclaimed",
        "톡방이 없습니다. 봇이 발견한 톡방: pabal msg room list --unclaimed",
    ),
    wanted=RoomFilter,
)
ROOM.verb("add", f"{_ACTIONS}:add", "Adds a room in which no bot has heard anything yet.", RoomNew, makes=True)
ROOM.verb(
    "edit",
    f"{_ACTIONS}:edit",
    "Changes a room's name, type, note, limits or owner; the last two are for administrators.",
    RoomEdit,
    method="PATCH",
)
ROOM.verb("claim", f"{_ACTIONS}:claim", "Gives a room that is nobody's to a unit.", RoomClaim)
ROOM.verb("release", f"{_ACTIONS}:release", "Makes a room nobody's again. Not while schedules send to it.")
ROOM.verb(
    "remove_bot",
    f"{_ACTIONS}:remove_bot",
    "Takes a bot that has left a room out of it, so that the name is free again. A message it hears brings it back.",
    RoomBotGone,
    in_rest=False,
)
ROOM.on_many(
    "claim",
    ("Claim", "맡기"),
    f"{_ACTIONS}:claim",
    asks=RoomsClaim,
    undo="release",
    labels={"unit_id": ("For which unit", "맡을 조직")},
)
ROOM.on_many("release", ("Release", "내놓기"), is_grave=True)
