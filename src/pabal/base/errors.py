"""The families of errors. A docstring is the message; the detail holds the facts of the case."""

import re


class PabalError(Exception):
    """Pabal could not do what was asked."""

    def __init__(self, detail: str = "") -> None:
        self.detail = detail
        super().__init__(detail)

    @property
    def code(self) -> str:
        """A stable name for programs: `LeaseLost` answers `lease_lost`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()

    def __str__(self) -> str:
        message = " ".join((type(self).__doc__ or "").split())
        return f"{message} ({self.detail})" if self.detail else message


class NotFound(PabalError):
    """There is no such thing, or it is not yours to see."""


class Conflict(PabalError):
    """Somebody else changed it first."""


class Invalid(PabalError):
    """What was given cannot be right."""


class Forbidden(PabalError):
    """You may not do this."""


class Unavailable(PabalError):
    """Something Pabal needs does not answer now; try again later."""
