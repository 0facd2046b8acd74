"""Sends to many rooms, each as one, and the groups of rooms they may go to."""

from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.bulks import BulkSend, NewGroup, RoomGroup
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.resources.deliveries import CAUSES
from pabal.apps.messaging.resources.schedules import ROOM_TYPES
from pabal.platform.language.pairs import put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.bulks", f"{_HERE}.store.bulks", f"{_HERE}.cli.finding"
_GROUPS, _GROUP_STORE = f"{_HERE}.actions.groups", f"{_HERE}.store.groups"
_UNIT = "pabal.platform.commands.options:find_unit_id"
_COLUMNS = ("id", "fire_at", "schedule_title", "summary", "rooms", "sent", "missing", "unknown", "open", "ended_at")


class BulkSendView(View):
    """One occurrence that went to many rooms. It ends with the last of its deliveries; `summary` is of them all."""

    id: int = field(("No.", "번호"), example=4)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    schedule_id: int = field(("Schedule no.", "스케줄 번호"), example=12)
    schedule_title: str = field(("Schedule", "스케줄"), example="전 지점 공지")
    fire_at: datetime = field(("Due", "예정"))
    cause: str = field(("Cause", "계기"), words=CAUSES, example="schedule")
    asked_by: str | None = field(("Asked by", "시킨 사람"), example=None)
    rooms: int = field(("Rooms", "톡방 수"), example=150)
    sent: int = field(("Sent", "보냄"), example=142)
    partial: int = field(("In part", "일부"), example=0)
    failed: int = field(("Failed", "실패"), example=0)
    missed: int = field(("Missed", "놓침"), example=3)
    unknown: int = field(("Unknown", "확인 필요"), example=5)
    open: int = field(("Under way", "진행 중"), example=0)
    missing: int = field(
        ("Missing", "빠짐"), description="What `send-missing` sends: missed, failed, or sent in part.", example=3
    )
    summary: str = field(("Summary", "요약"), example="142 of 150, 3 missed, 5 unknown")
    until: datetime = field(("Window until", "발송 시간 끝"))
    created_at: datetime = field(("Made", "만든 때"))
    ended_at: datetime | None = field(("Ended", "끝"))


def view_bulk(bulk: BulkSend, viewer: Viewer) -> BulkSendView:
    states = {state.value: bulk.count(state) for state in DeliveryState}
    return BulkSendView.of(bulk, **states, summary=put(viewer.lang, bulk.summary))


class BulkSendFilter(Filter):
    schedule: int | None = ask(
        "Only of this schedule.", rules=ROW_ID, find=f"{_FIND}:find_schedule_id", example=12, default=None
    )
    open: bool | None = ask("Only those under way, or only those that are over.", option="--open/--over", default=None)


class SendMissing(Ask):
    """Rooms of which nobody knows whether it arrived are sent to again only with `resend_unknown`."""

    resend_unknown: bool = ask("Also where nobody knows whether it arrived.", default=False)


BULK = Noun(
    "bulk",
    "bulks",
    "messaging",
    BulkSendView,
    view=f"{__name__}:view_bulk",
    find=f"{_STORE}:get_bulk",
    hold=f"{_STORE}:hold_bulk",
    named=f"{_FIND}:find_bulk",
    columns=(*_COLUMNS, "until", "cause", "asked_by", "created_at"),
    which="Its number.",
    called="bulk_send",
    get_help="Shows one send to many rooms: how many got it, and how many did not.",
)
BULK.lists(
    "list_bulk_sends",
    "Lists sends to many rooms, the newest first.",
    f"{_STORE}:list_bulks",
    columns=_COLUMNS,
    empty=("Nothing was sent to many rooms yet.", "아직 여러 톡방에 함께 보낸 것이 없습니다."),
    wanted=BulkSendFilter,
)
BULK.verb(
    "send_missing",
    f"{_ACTIONS}:send_missing",
    "Sends to every room that got nothing, or not all of it. What is out already is not sent again.",
    SendMissing,
    path="/bulks/{id}/send-missing",
    status=202,
)


class RoomGroupView(View):
    """A rule that is kept: the rooms of a unit and those below it, of a kind, with a tag."""

    id: int = field(("No.", "번호"), example=2)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="부산 운영방")
    within_id: int | None = field(("Rooms of", "톡방 조직"), kind="unit", example=3)
    room_type: RoomType | None = field(("Kind", "종류"), words=ROOM_TYPES, example="production")
    tag: str | None = field(("Tag", "태그"), example="점장")
    rooms: int = field(("Rooms", "톡방 수"), description="How many it holds now.", example=42)
    schedules: int = field(("Schedules", "스케줄"), description="That are not over.", example=1)
    created_by: str = field(("Made by", "만든 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))


def view_group(group: RoomGroup, viewer: Viewer) -> RoomGroupView:
    kind = None if group.room_type is None else RoomType(group.room_type)
    return RoomGroupView.of(group, room_type=kind)


class RoomGroupNew(Ask):
    """Without a unit it belongs to yours, and holds the rooms of that unit and below."""

    name: str = ask("What it is called.", argument=True, rules=Rules(max_length=200), example="부산 운영방")
    unit_id: int | None = ask(
        "Whose it is: number or name.",
        option="--org",
        metavar="UNIT",
        find=_UNIT,
        rules=ROW_ID,
        example=3,
        default=None,
    )
    within_id: int | None = ask(
        "Only rooms of this unit and below: number or name.",
        option="--within",
        metavar="UNIT",
        find=_UNIT,
        rules=ROW_ID,
        example=3,
        default=None,
    )
    room_type: RoomType | None = ask("Only of this kind.", option="--kind", default=None)
    tag: str | None = ask("Only with this tag.", rules=Rules(max_length=200), example="점장", default=None)

    def arguments(self) -> dict[str, Any]:
        kind = None if self.room_type is None else self.room_type.value
        return {"new": NewGroup(self.name, self.unit_id, self.within_id, kind, self.tag)}


_GROUP_COLUMNS = ("id", "name", "rooms", "within_id", "room_type", "tag", "schedules", "unit_id")
GROUP = Noun(
    "group",
    "room-groups",
    "messaging",
    RoomGroupView,
    view=f"{__name__}:view_group",
    find=f"{_GROUP_STORE}:get_group",
    hold=f"{_GROUP_STORE}:lock_group",
    named=f"{_FIND}:find_group",
    columns=(*_GROUP_COLUMNS, "created_by", "created_at", "updated_at"),
    called="room_group",
    get_help="Shows one group of rooms.",
)
GROUP.lists(
    "list_room_groups",
    "Lists the groups of rooms, by name.",
    f"{_GROUP_STORE}:list_groups",
    columns=_GROUP_COLUMNS,
    empty=(
        "No groups of rooms yet: pabal msg group save NAME --within UNIT --tag TAG",
        "아직 톡방 그룹이 없습니다: pabal msg group save 이름 --within 조직 --tag 태그",
    ),
)
GROUP.verb("save", f"{_GROUPS}:save", "Keeps a group of rooms.", RoomGroupNew, makes=True)
GROUP.verb(
    "replace",
    f"{_GROUPS}:edit",
    "Replaces the rule of a group. What was opened before keeps its rooms.",
    RoomGroupNew,
    method="PUT",
    path="/room-groups/{id}",
)
GROUP.verb(
    "delete",
    f"{_GROUPS}:delete",
    "Deletes a group of rooms. Not while schedules send to it.",
    method="DELETE",
    answers_nothing=True,
    confirm=(
        "Delete group {which}? Its rooms stay as they are.",
        "그룹 {which}을(를) 지울까요? 톡방은 그대로 남습니다.",
    ),
)
