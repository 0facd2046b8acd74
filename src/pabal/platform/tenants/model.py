"""A unit of the organisation, and which level may stand below which."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound


class Level(StrEnum):
    """From the top down."""

    HQ = "hq"
    DISTRIBUTOR = "distributor"
    AGENCY = "agency"
    BRANCH = "branch"


LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True)
class Unit:
    id: int
    parent_id: int | None
    level: Level
    name: str
    is_demo: bool
    created_at: datetime


class UnitNotFound(NotFound):
    """There is no such organisation unit, or it is not yours to see."""


class BadLevel(Invalid):
    """A unit stands below one of a higher level: HQ, then distributor, agency, branch. There is one HQ."""


class BadName(Invalid):
    """A name has 1 to 100 printable characters and is not taken by a neighbour in the tree."""


class HeadOfficeOnly(Forbidden):
    """This holds for the whole house, so only people of the head office may do it."""


class UnitNotEmpty(Conflict):
    """Units, people or things still belong to this unit. Move or remove them first."""


def check_place(level: Level, parent: Unit) -> None:
    """A level may be left out (a branch right below a distributor), never turned around."""
    if LEVELS.index(level) <= LEVELS.index(parent.level):
        raise BadLevel(f"{level} below {parent.level}")


def check_name(name: str) -> str:
    said = " ".join(name.split())
    if not 1 <= len(said) <= 100 or not said.isprintable():
        raise BadName(repr(name[:100]))
    return said
