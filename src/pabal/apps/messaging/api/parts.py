"""What the hand-written endpoints of messaging share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import LAST
from pabal.platform.web.identify import guess_language
from pabal.platform.web.problems import name_faults
from pabal.platform.web.visit import Visit

AREA = "messaging"
BASE = "/api/v1/messages"
Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
# as a body or a filter names a row
Id = Annotated[int, Field(ge=1, le=LAST)]


def noun(tag: str = "messages") -> APIRouter:
    return endpoints.noun(tag)


def may_read(visit: Visit) -> None:
    visit.actor.require(Right.READ, AREA)


@contextmanager
def naming(visit: Visit, names: Mapping[str, str]) -> Iterator[None]:
    """Findings under the names of a contract of others."""
    try:
        yield
    except FieldsRefused as error:
        faults = name_faults(error.findings, guess_language(visit.request), names)
        error.faults = faults
        error.detail = ", ".join(dict.fromkeys(one.pointer for one in faults))
        raise
