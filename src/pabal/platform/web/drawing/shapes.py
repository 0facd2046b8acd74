"""What a drawing is made of: boxes for the states, lines for the ways, labels for what they say."""

from dataclasses import dataclass
from typing import NamedTuple

from pabal.platform.web.drawing.places import Way


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
