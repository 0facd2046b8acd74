"""What the endpoints of messaging share: how things are asked and shown, and how a refusal names its fields."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from pabal.apps.messaging.errors import ContentRefused
from pabal.apps.messaging.model.findings import Finding
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Lang
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import (
    LAST,
    Asked,
    Shown,
    answer,
    fill,
    long_id,
    long_schema,
    no_content,
    read_long,
)
from pabal.platform.web.identify import guess_language
from pabal.platform.web.problems import Fault
from pabal.platform.web.visit import Visit

__all__ = ["LAST", "Asked", "Shown", "answer", "fill", "long_schema", "no_content", "read_long"]

AREA = "messaging"
BASE = "/api/v1/messages"
Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
DeliveryId = Annotated[int, *long_id("dlv"), Path(description="The delivery's id.")]
ImageId = Annotated[int, *long_id("file"), Path(description="The image's id.")]
DryRun = Annotated[bool, Query(description="Only say what would come of it; nothing is saved.")]
# as a body or a filter names a row
Id = Annotated[int, Field(ge=1, le=LAST)]


def noun(tag: str = "messages") -> APIRouter:
    return endpoints.noun(tag)


def may_read(visit: Visit) -> None:
    visit.actor.require(Right.READ, AREA)


def name_faults(findings: Iterable[Finding], names: Mapping[str, str], lang: Lang) -> list[Fault]:
    """Findings as the caller's own body names the fields, in the caller's language."""
    place = 1 if lang == "ko" else 0
    return [Fault(f"/{names.get(one.field, one.field)}", one.code, one.text[place]) for one in findings]


@contextmanager
def naming(visit: Visit, names: Mapping[str, str]) -> Iterator[None]:
    """What is wrong with each field becomes the problem's `errors`."""
    try:
        yield
    except ContentRefused as error:
        faults = name_faults(error.findings, names, guess_language(visit.request))
        error.faults = faults
        error.detail = ", ".join(dict.fromkeys(one.pointer for one in faults))
        raise
