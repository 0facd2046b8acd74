"""Actor: who asks for something, which unit's subtree is theirs, and what they may do in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from pabal.base.errors import Forbidden


class Role(StrEnum):
    """What a person is in their unit."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class Right(IntEnum):
    """Each includes the one before: look; create, edit, send, pause, retry, answer; manage people, limits, settings."""

    READ = 1
    WRITE = 2
    MANAGE = 3


_RIGHTS = {Role.VIEWER: Right.READ, Role.OPERATOR: Right.WRITE, Role.ADMIN: Right.MANAGE}
EVERYTHING = "*:manage"


def right_of(role: Role) -> Right:
    """The most a role may do."""
    return _RIGHTS[role]


class NotAllowed(Forbidden, code="not_allowed"):
    """Your role or token does not allow this. An administrator of your organisation can change that."""


@dataclass(frozen=True, slots=True)
class Actor:
    """`name` is what histories and the audit keep: user:12, token:5, cli:kim, engine.

    `unit_id` None means the whole house, what no unit owns included: only the command line and the engine have that.
    `scopes` are `area:read|write|manage`, `*` being every area; a person has all their role gives.
    """

    name: str
    unit_id: int | None
    role: Role
    scopes: tuple[str, ...] = (EVERYTHING,)
    label: str = ""
    origin: str = ""

    def may(self, right: Right, area: str) -> bool:
        return right <= min(right_of(self.role), _granted(self.scopes, area))

    def require(self, right: Right, area: str) -> None:
        if not self.may(right, area):
            raise NotAllowed(f"{area}:{right.name.lower()}")


ENGINE = Actor("engine", None, Role.ADMIN, label="engine")


def _granted(scopes: Iterable[str], area: str) -> int:
    best = 0
    for scope in scopes:
        named, _, right = scope.partition(":")
        if named in ("*", area):
            best = max(best, Right[right.upper()])
    return best
