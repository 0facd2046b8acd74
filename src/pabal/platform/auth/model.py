"""People, and what of them may be right: names, roles, preferences, who may give whom which rights, and the errors."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from pabal.engine.recurrence.timing import find_zone
from pabal.platform.actor import EVERYTHING, Actor, NotAllowed, Right, Role, right_of
from pabal.platform.language.pairs import LANGS


class UserNotFound(NotFound, code="user_not_found"):
    """There is no such user, or they are not in your organisation."""


class LoginTaken(Conflict, code="login_taken"):
    """Somebody has this login name already. Choose another."""


class BadLogin(Invalid, code="bad_login"):
    """A login name has 2 to 60 of the characters a to z, 0 to 9, and . _ @ + - (not as the first)."""


class BadDisplayName(Invalid, code="bad_display_name"):
    """A name has 1 to 100 printable characters."""


class BadPreference(Invalid, code="bad_preference"):
    """The language is ko or en, the theme light or dark; leave them out to follow the browser."""


class OwnAccount(Forbidden, code="own_account"):
    """You cannot deactivate, demote or move yourself. Another administrator can."""


class LastAdmin(Conflict, code="last_admin"):
    """This is the last administrator of the HQ who can sign in. Make somebody else one first."""


class UserInactive(Conflict, code="user_inactive"):
    """This user is deactivated. Activate them first."""


class WeakPassword(Invalid, code="weak_password"):
    """A password has 10 to 200 characters, is not the login name, not the old one and not a commonplace one."""


class WrongPassword(Invalid, code="wrong_password"):
    """The current password is not right. Type it again; who has forgotten it asks an administrator for a link."""


class SignInFailed(Forbidden, code="sign_in_failed"):
    """The login name or the password is not right. Type both again, or ask an administrator for a sign-in link."""


class DemoNotHere(Forbidden, code="demo_not_here"):
    """This is one of the demo's people, whose password everybody knows: they sign in only on a server that was started
    with `pabal up --demo`, and only on its own machine, at http://localhost or http://127.0.0.1. In a container or
    behind a proxy, start it with `pabal up --demo --demo-from-anywhere`."""


class TooManyTries(Unavailable, code="too_many_tries"):
    """Too many tries failed here. Wait until the moment named, then try again; a sign-in link works at once."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until.isoformat(timespec="seconds"))
        self.until = until


class LinkSpent(NotFound, code="link_spent"):
    """This sign-in link was used, has expired or was replaced by a newer one. Ask for a new one."""


class SessionNotFound(NotFound, code="session_not_found"):
    """There is no such session of yours. It may have ended already."""


class TokenNotFound(NotFound, code="token_not_found"):
    """There is no such token, or it is not in your organisation."""


class TokenOver(Conflict, code="token_over"):
    """This token was revoked, has expired or was replaced already. Make a new one."""


class BadScope(Invalid, code="bad_scope"):
    """A scope is area:read, area:write or area:manage, * being every area. A token has 1 to 50 of them."""


class BadExpiry(Invalid, code="bad_expiry"):
    """The end must be in the future and not too far away: 400 days for a token, 7 days for a sign-in link."""


AREA = "people"
ZONE = "Asia/Seoul"
THEMES = ("light", "dark")

_LOGIN = re.compile(r"[a-z0-9][a-z0-9._@+-]{1,59}")
_SCOPE = re.compile(r"(\*|[a-z][a-z0-9_-]{0,39}):(read|write|manage)")


@dataclass(frozen=True, slots=True)
class Preferences:
    """None: as the browser says."""

    language: str | None = None
    zone: str = ZONE
    theme: str | None = None


@dataclass(frozen=True, slots=True)
class User:
    id: int
    unit_id: int
    login: str
    name: str
    role: Role
    language: str | None
    zone: str
    theme: str | None
    is_active: bool
    is_demo: bool
    has_password: bool
    created_at: datetime
    signed_in_at: datetime | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "role", Role(self.role))

    @property
    def preferences(self) -> Preferences:
        return Preferences(self.language, self.zone, self.theme)

    def actor(self, origin: str = "") -> Actor:
        return Actor(f"user:{self.id}", self.unit_id, self.role, label=self.name, origin=origin)


@dataclass(frozen=True, slots=True)
class NewUser:
    login: str
    name: str
    unit_id: int
    role: Role
    preferences: Preferences = field(default_factory=Preferences)
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a request came from. `with_demo`: people of the demo may come in from there; `device` is what the browser
    holds of an earlier sign-in, known or not.
    """

    address: str = ""
    agent: str = ""
    with_demo: bool = False
    device: str = ""

    @property
    def short_agent(self) -> str:
        return _printable(self.agent)[:200]

    @property
    def short_address(self) -> str:
        return _printable(self.address)[:60]

    def check_demo(self, *, is_demo: bool) -> None:
        """After the right key was shown: nobody else learns that this is a person of the demo."""
        if is_demo and not self.with_demo:
            raise DemoNotHere


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """A session ends after `idle` without a request, and after `longest` in any case."""

    idle: timedelta = timedelta(hours=12)
    longest: timedelta = timedelta(days=14)


def is_login(login: str) -> bool:
    return _LOGIN.fullmatch(login) is not None


def as_login(typed: str) -> str:
    """Logins have no case."""
    return typed.strip().lower()


def check_login(typed: str) -> str:
    login = as_login(typed)
    if not is_login(login):
        raise BadLogin(typed[:60])
    return login


def check_display_name(name: str) -> str:
    said = " ".join(name.split())
    if not 1 <= len(said) <= 100 or not said.isprintable():
        raise BadDisplayName(repr(name[:100]))
    return said


def check_preferences(wanted: Preferences) -> None:
    if wanted.language not in (None, *LANGS):
        raise BadPreference(f"language {wanted.language!r}")
    if wanted.theme not in (None, *THEMES):
        raise BadPreference(f"theme {wanted.theme!r}")
    find_zone(wanted.zone)


def check_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    said = tuple(dict.fromkeys(scopes))
    bad = [scope for scope in said if not _SCOPE.fullmatch(scope)]
    if bad or not 1 <= len(said) <= 50:
        raise BadScope(", ".join(repr(scope[:60]) for scope in bad[:5]))
    return said


def may_give(actor: Actor, role: Role, scopes: Iterable[str] = (EVERYTHING,)) -> bool:
    """Nobody hands on what they do not have themselves, be it by role or by the scopes of their token."""
    given = [scope.partition(":") for scope in scopes]
    return right_of(role) <= right_of(actor.role) and all(
        actor.may(min(right_of(role), Right[right.upper()]), area) for area, _, right in given
    )


def require_may_give(actor: Actor, role: Role, scopes: Iterable[str] = (EVERYTHING,)) -> None:
    if not may_give(actor, role, scopes):
        raise NotAllowed(f"role {role}")


def own_id(actor: Actor) -> int | None:
    """The person's number when the actor is one."""
    kind, _, number = actor.name.partition(":")
    return int(number) if kind == "user" and number.isdigit() else None


def require_own_id(actor: Actor) -> int:
    found = own_id(actor)
    if found is None:
        raise NotAllowed("only a person has this")
    return found


def shown(user: User) -> dict[str, Any]:
    """For the audit."""
    return {
        "login": user.login,
        "name": user.name,
        "unit_id": user.unit_id,
        "role": user.role.value,
        "language": user.language,
        "zone": user.zone,
        "theme": user.theme,
        "is_active": user.is_active,
    }


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable())
