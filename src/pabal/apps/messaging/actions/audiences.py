"""Whom a schedule to many rooms is for: its rooms found, and what of it cannot work."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pabal.apps.messaging.errors import GroupNotFound
from pabal.apps.messaging.model import variables
from pabal.apps.messaging.model.bulks import LONGEST_SPAN, MOST_ROOMS, Audience, BulkRoom, RoomGroup, Target
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.store.audiences import find_named_rooms, list_audience_rooms
from pabal.apps.messaging.store.groups import get_group
from pabal.base.database import Tx
from pabal.platform.findings import Finding
from pabal.platform.tenants import Scope

# what the column of rooms may be called; without one of these it is the first
_ROOM_COLUMNS = ("톡방", "room", "채널id", "channel_id")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Resolved:
    """As it would be kept, with its rooms as they are now."""

    audience: Audience
    rooms: tuple[BulkRoom, ...]
    group: RoomGroup | None
    problems: tuple[Finding, ...]

    @property
    def columns(self) -> set[str]:
        """That every row of the CSV has: what a text may name."""
        named = [set(one.columns) for one in self.audience.targets if not one.is_picked]
        is_all = bool(named) and len(named) == len(self.rooms)
        return set.intersection(*named) if is_all else set()

    @property
    def unit_id(self) -> int | None:
        """Whose it is when nobody says: the group's, or the one unit of all its rooms."""
        units = {one.unit_id for one in self.rooms}
        return self.group.unit_id if self.group is not None else units.pop() if len(units) == 1 else None


async def resolve(tx: Tx, scope: Scope, audience: Audience) -> Resolved:
    problems: list[Finding] = list(_check_spans(audience))
    group: RoomGroup | None = None
    if audience.group_id is not None:
        try:
            group = await get_group(tx, scope, audience.group_id)
        except GroupNotFound:
            problems.append(find("group_not_found", "group_id"))
            audience = replace(audience, group_id=None)
    listed, wrong = await _read_csv(tx, scope, audience.rooms_csv)
    problems += wrong
    picked = [Target(one) for one in dict.fromkeys(audience.picked) if one not in {each.room_id for each in listed}]
    audience = replace(audience, targets=(*picked, *listed))
    rooms = await list_audience_rooms(tx, audience, group)
    problems += _check_rooms(scope, audience, rooms)
    return Resolved(audience, tuple(one for one in rooms if scope.holds(one.unit_id)), group, tuple(problems))


def _check_spans(audience: Audience) -> Iterator[Finding]:
    if not 0 <= audience.spread_minutes <= LONGEST_SPAN:
        yield find("span_out_of_range", "spread_minutes", value=audience.spread_minutes, least=0, most=LONGEST_SPAN)
    window = audience.window_minutes
    if window is not None and not 1 <= window <= LONGEST_SPAN:
        yield find("span_out_of_range", "window_minutes", value=window, least=1, most=LONGEST_SPAN)


def _check_rooms(scope: Scope, audience: Audience, rooms: Sequence[BulkRoom]) -> Iterator[Finding]:
    """What nobody has claimed, or has no bot in it, would fail each time."""
    seen = [one for one in rooms if scope.holds(one.unit_id)]
    found = {one.room_id for one in seen}
    if any(one.room_id not in found for one in audience.targets):
        yield find("room_not_found", "rooms")
    if not rooms:
        yield find("rooms_missing", "rooms")
    if len(rooms) > MOST_ROOMS:
        yield find("too_many_rooms", "rooms", most=MOST_ROOMS)
    unclaimed = [one.name for one in seen if one.unit_id is None]
    if unclaimed:
        yield find("rooms_unclaimed", "rooms", rooms=_name(unclaimed), count=len(unclaimed))
    mute = [one.name for one in seen if one.unit_id is not None and not one.speakers]
    if mute:
        yield find("rooms_without_bot", "rooms", rooms=_name(mute), count=len(mute))


def _name(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")


async def _read_csv(tx: Tx, scope: Scope, text: str | None) -> tuple[list[Target], list[Finding]]:
    """A row for each room; a column says which, the others are what its text may name."""
    if text is None or not text.strip():
        return [], []
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.lstrip("\ufeff").splitlines())]
    rows = [row for row in rows if any(row)]
    head, body = rows[0], rows[1 : MOST_ROOMS + 2]
    problems = list(_check_head(head))
    if not body:
        problems.append(find("csv_empty", "rooms_csv"))
    if problems:
        return [], problems
    place = next((n for n, name in enumerate(head) if name.lower() in _ROOM_COLUMNS), 0)
    known = await find_named_rooms(tx, scope, [row[place] for row in body if len(row) > place])
    targets: dict[int, Target] = {}
    for line, row in enumerate(body, start=2):
        name = row[place] if len(row) > place else ""
        found = known.get(name, [])
        if len(row) != len(head):
            problems.append(find("csv_row_uneven", "rooms_csv", line=line, cells=len(row), columns=len(head)))
        elif len(found) != 1:
            code = "csv_room_ambiguous" if found else "csv_room_unknown"
            problems.append(find(code, "rooms_csv", line=line, room=name))
        elif found[0] in targets:
            problems.append(find("csv_room_twice", "rooms_csv", line=line, room=name))
        else:
            columns = {title: cell for n, (title, cell) in enumerate(zip(head, row, strict=True)) if n != place}
            targets[found[0]] = Target(found[0], columns, is_picked=False)
    return list(targets.values()), problems[:_SHOWN]


def _check_head(head: Sequence[str]) -> Iterator[Finding]:
    for name in head:
        if not variables.is_name(name):
            yield find("csv_column_unusable", "rooms_csv", name=name, most=variables.LONGEST)
    if len(set(head)) != len(head):
        yield find("csv_column_twice", "rooms_csv")
