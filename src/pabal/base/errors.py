"""The families of errors. A docstring is the message; the detail holds the facts of the case."""


class PabalError(Exception):
    """Pabal could not do what was asked."""

    # a stable name for programs; every error names its own, so that renaming a class renames nothing for them
    code = "pabal_error"

    def __init_subclass__(cls, *, code: str) -> None:
        super().__init_subclass__()
        cls.code = code

    def __init__(self, detail: str = "") -> None:
        self.detail = detail
        super().__init__(detail)

    def __str__(self) -> str:
        message = " ".join((type(self).__doc__ or "").split())
        return f"{message} ({self.detail})" if self.detail else message


class NotFound(PabalError, code="not_found"):
    """There is no such thing, or it is not yours to see."""


class Conflict(PabalError, code="conflict"):
    """Somebody else changed it first."""


class Invalid(PabalError, code="invalid"):
    """What was given cannot be right."""


class Forbidden(PabalError, code="forbidden"):
    """You may not do this."""


class Unavailable(PabalError, code="unavailable"):
    """Something Pabal needs does not answer now; try again later."""
