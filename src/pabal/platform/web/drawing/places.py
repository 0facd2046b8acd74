"""The shapes of a drawing, and where states stand: in columns by distance from the beginning, ends in the last."""

from dataclasses import dataclass
from typing import NamedTuple

from pabal.engine.machine import Machine


@dataclass(frozen=True, slots=True)
class Way:
    """From one state to another: all events that lead there are one line."""

    source: str
    target: str
    events: tuple[str, ...]


class Point(NamedTuple):
    x: float
    y: float


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "Box", margin: float = 0) -> bool:
        return (
            self.x < other.x + other.width + margin
            and other.x < self.x + self.width + margin
            and self.y < other.y + other.height + margin
            and other.y < self.y + self.height + margin
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """A way as it is drawn: corner by corner, from the border of the source to that of the target."""

    way: Way
    group: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """What a group of ways says, once: its events, a few to a line, and the box it stands in."""

    group: int
    lines: tuple[tuple[str, ...], ...]
    box: Box


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    boxes: dict[str, Box]
    drawn: tuple[Drawn, ...]
    labels: tuple[Label, ...]


class Spot(NamedTuple):
    column: int
    row: int


def list_ways(machine: Machine) -> list[Way]:
    """Every declared move; one that chooses leads to both of its targets."""
    found: dict[tuple[str, str], list[str]] = {}
    for move in machine.moves:
        for source in move.sources:
            for target in dict.fromkeys(move.targets):
                events = found.setdefault((str(source), str(target)), [])
                events.append(str(move.event))
    return [Way(source, target, tuple(dict.fromkeys(events))) for (source, target), events in found.items()]


def place(machine: Machine) -> dict[str, Spot]:
    """Along the flow: by column, then by row."""
    ways = list_ways(machine)
    parents = _find_parents(machine, ways)
    columns = _stand_in_columns(machine, parents)
    spine = set(_find_spine(machine, parents))
    spots: dict[str, Spot] = {}
    for column, states in enumerate(columns):
        ordered = sorted(states, key=lambda state: (state not in spine, _count_sources(ways, state)))
        side = -1 if states[0] in machine.final else 1
        spots |= {state: Spot(column, side * _aside(number)) for number, state in enumerate(ordered)}
    top = min(spot.row for spot in spots.values())
    lifted = {state: Spot(spot.column, spot.row - top) for state, spot in spots.items()}
    return dict(sorted(lifted.items(), key=lambda one: one[1]))


def _find_parents(machine: Machine, ways: list[Way]) -> dict[str, str | None]:
    """Breadth first: from which state each is reached soonest."""
    initial = str(machine.initial)
    parents: dict[str, str | None] = {initial: None}
    fresh = [initial]
    for state in fresh:
        for way in ways:
            if way.source == state and way.target not in parents:
                parents[way.target] = state
                fresh.append(way.target)
    return parents


def _path_to(parents: dict[str, str | None], state: str) -> list[str]:
    """From the beginning to this state."""
    path = [state]
    while (before := parents[path[0]]) is not None:
        path.insert(0, before)
    return path


def _stand_in_columns(machine: Machine, parents: dict[str, str | None]) -> list[list[str]]:
    ends = [state for state in parents if state in machine.final]
    depths = {state: len(_path_to(parents, state)) - 1 for state in parents if state not in ends}
    last = max(depths.values(), default=-1)
    columns = [[state for state in parents if depths.get(state) == depth] for depth in range(last + 1)]
    return [*columns, ends] if ends else columns


def _find_spine(machine: Machine, parents: dict[str, str | None]) -> list[str]:
    """The longest of the shortest ways: it goes straight through the middle."""
    going_on = [state for state in parents if state not in machine.final]
    return max((_path_to(parents, state) for state in going_on), key=len, default=[])


def _count_sources(ways: list[Way], state: str) -> int:
    """What few lead to stays in the middle; what many lead to has room at the side."""
    return sum(way.target == state for way in ways)


def _aside(number: int) -> int:
    """0, 1, -1, 2, -2: the middle first, then below and above by turns (ends: above and below)."""
    return (number + 1) // 2 * (1 if number % 2 else -1)
