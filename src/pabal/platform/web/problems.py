"""Errors at the web's edge: which status a family has, and the same error as problem+json (RFC 9457) or as a page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, PabalError, Unavailable
from pabal.engine.reading import TokenUnreadable
from pabal.platform.auth import TooManyTries
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import BadParameter

PROBLEM_JSON = "application/problem+json"


class SignInNeeded(Forbidden, code="sign_in_needed"):
    """You are not signed in. Sign in and try again."""


class TokenRefused(Forbidden, code="token_refused"):
    """This token cannot be used: it expired, was revoked, or is mistyped."""


class CsrfFailed(Forbidden, code="csrf_failed"):
    """This page is too old, or the request came from somewhere else. Reload the page and try again."""


class Unreadable(Invalid, code="unreadable"):
    """The request cannot be read. Check the form it was sent in."""


class UnknownParameter(Invalid, code="unknown_parameter"):
    """There is no such parameter here. Check its spelling or leave it out."""


class OrgNotTaken(Invalid, code="org_not_taken"):
    """`org` narrows lists and figures of several units. This is one thing, or belongs to no unit: leave `org` out."""


class MethodNotAllowed(Invalid, code="method_not_allowed"):
    """This address does not take such requests."""


class MediaTypeNotSupported(Invalid, code="media_type_not_supported"):
    """A body of this type is not taken here. Send JSON."""


class BodyTooLarge(Invalid, code="body_too_large"):
    """What was sent is too large."""


class VersionMismatch(Conflict, code="version_mismatch"):
    """Somebody changed it after you read it. Read it again, look at what changed, then save."""


class TooManyRequests(Unavailable, code="too_many_requests"):
    """Too many requests. Wait a little and try again."""


class Unexpected(PabalError, code="unexpected"):
    """Something unforeseen happened. Nothing that was promised is lost; if it goes on, tell us the request's number."""


_STATUSES: Mapping[type[PabalError], int] = {
    SignInNeeded: 401,
    TokenRefused: 401,
    Unreadable: 400,
    UnknownParameter: 400,
    OrgNotTaken: 400,
    BadParameter: 400,
    TokenUnreadable: 400,
    MethodNotAllowed: 405,
    MediaTypeNotSupported: 415,
    BodyTooLarge: 413,
    VersionMismatch: 412,
    TooManyRequests: 429,
    TooManyTries: 429,
    NotFound: 404,
    Conflict: 409,
    Invalid: 422,
    Forbidden: 403,
    Unavailable: 503,
    PabalError: 500,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one field; `pointer` is where (RFC 6901, or the parameter's name)."""

    pointer: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Problem:
    """An error on its way out, in one language."""

    status: int
    code: str
    title: str
    detail: str
    instance: str
    request_id: str
    lang: Lang
    errors: list[Fault] = field(default_factory=list)
    retry_after: int | None = None
    # what only this error says besides, by name: the report of a guard
    members: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "type": f"/docs/problems#{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "instance": self.instance,
            "request_id": self.request_id,
            "lang": self.lang,
        }
        if self.errors:
            body["errors"] = [{"pointer": one.pointer, "code": one.code, "detail": one.detail} for one in self.errors]
        if self.retry_after is not None:
            body["next"] = [{"rel": "retry", "after_seconds": self.retry_after}]
        return {**self.members, **body}


def status_of(error: PabalError) -> int:
    """An error may say its own; otherwise the nearest of its ancestors decides."""
    own = getattr(error, "status", None)
    if isinstance(own, int):
        return own
    return next(_STATUSES[ancestor] for ancestor in type(error).__mro__ if ancestor in _STATUSES)


def name_faults(
    findings: Iterable[Finding], lang: Lang, names: Mapping[str, str] = MappingProxyType({})
) -> list[Fault]:
    """Findings in the caller's language; `names` says what the caller calls a field, where that is not our name."""
    return [Fault(f"/{names.get(one.field, one.field)}", one.code, put(lang, one.text)) for one in findings]


def make_problem(error: PabalError, *, lang: Lang, instance: str, request_id: str) -> Problem:
    title = explain(error, lang)
    errors = list(getattr(error, "faults", ()))
    if isinstance(error, FieldsRefused) and not errors:
        errors = name_faults(error.findings, lang)
        error.detail = ", ".join(dict.fromkeys(one.pointer for one in errors))
    return Problem(
        status=status_of(error),
        code=error.code,
        title=title,
        detail=f"{title} ({error.detail})" if error.detail else title,
        instance=instance,
        request_id=request_id,
        lang=lang,
        errors=errors,
        retry_after=getattr(error, "retry_after", None),
        members=getattr(error, "members", {}),
    )
