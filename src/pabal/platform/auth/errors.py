"""What can be wrong with people and their keys."""

from datetime import datetime

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable


class UserNotFound(NotFound):
    """There is no such user, or they are not in your organisation."""


class LoginTaken(Conflict):
    """Somebody has this login name already. Choose another."""


class BadLogin(Invalid):
    """A login name has 2 to 60 of the characters a to z, 0 to 9, and . _ @ + - (not as the first)."""


class BadDisplayName(Invalid):
    """A name has 1 to 100 printable characters."""


class BadPreference(Invalid):
    """The language is ko or en, the theme light or dark; leave them out to follow the browser."""


class OwnAccount(Forbidden):
    """You cannot deactivate, demote or move yourself. Another administrator can."""


class LastAdmin(Conflict):
    """This is the last administrator of the HQ who can sign in. Make somebody else one first."""


class UserInactive(Conflict):
    """This user is deactivated. Activate them first."""


class WeakPassword(Invalid):
    """A password has 10 to 200 characters, is not the login name, not the old one and not a commonplace one."""


class WrongPassword(Invalid):
    """The current password is not right. Type it again; who has forgotten it asks an administrator for a link."""


class SignInFailed(Forbidden):
    """The login name or the password is not right. Type both again, or ask an administrator for a sign-in link."""


class DemoNotHere(Forbidden):
    """This is one of the demo's people, whose password everybody knows: they sign in only on a server that was started
    with `pabal up --demo`, and only on its own machine, at http://localhost or http://127.0.0.1. In a container or
    behind a proxy, start it with `pabal up --demo --demo-from-anywhere`."""


class TooManyTries(Unavailable):
    """Too many tries failed here. Wait until the moment named, then try again; a sign-in link works at once."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until.isoformat(timespec="seconds"))
        self.until = until


class LinkSpent(NotFound):
    """This sign-in link was used, has expired or was replaced by a newer one. Ask for a new one."""


class SessionNotFound(NotFound):
    """There is no such session of yours. It may have ended already."""


class TokenNotFound(NotFound):
    """There is no such token, or it is not in your organisation."""


class TokenOver(Conflict):
    """This token was revoked, has expired or was replaced already. Make a new one."""


class BadScope(Invalid):
    """A scope is area:read, area:write or area:manage, * being every area. A token has 1 to 50 of them."""


class BadExpiry(Invalid):
    """The end must be in the future and not too far away: 400 days for a token, 7 days for a sign-in link."""
