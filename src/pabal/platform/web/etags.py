"""ETags: what somebody read has a name; they may ask whether it still holds, and change only what they read."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi.responses import Response
from pydantic import BaseModel

from pabal.engine.subjects import VersionChanged
from pabal.platform.resources import View, plain_json
from pabal.platform.settings import SettingChanged
from pabal.platform.web.problems import VersionMismatch
from pabal.platform.web.visit import Visit

_TAG = re.compile(r'(W/)?"([^"]*)"')
_VERSION = re.compile(r'"v([0-9]{1,18})"')


def tag_of(shown: BaseModel | View, version: int | None = None) -> str:
    """Strong: from the version where there is one, else from all that is shown."""
    if version is not None:
        return f'"v{version}"'
    return f'"{hashlib.sha256(_kept(shown).encode()).hexdigest()[:32]}"'


def _kept(shown: BaseModel | View) -> str:
    """Without the sentences, which change with their reader and the hour."""
    if not isinstance(shown, View):
        return shown.model_dump_json()
    return plain_json({name: getattr(shown, name) for name, one in shown.fields.items() if not one.is_told})


def write_json(shown: BaseModel | View) -> str:
    return plain_json(shown) if isinstance(shown, View) else shown.model_dump_json()


def answer_one(visit: Visit, shown: BaseModel | View, *, version: int | None = None) -> Response:
    """One thing with its ETag; 304 to somebody who has it already."""
    tag = tag_of(shown, version)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if visit.request.method in ("GET", "HEAD") and is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    return Response(write_json(shown), headers=headers, media_type="application/json")


def is_known(visit: Visit, tag: str) -> bool:
    """If-None-Match compares weakly: a cache in between may have weakened it."""
    given = visit.request.headers.get("If-None-Match", "")
    return given.strip() == "*" or any(f'"{text}"' == tag for _, text in _TAG.findall(given))


def names_version(visit: Visit) -> bool:
    """Whether the visitor says which version they mean to change."""
    return visit.request.headers.get("If-Match", "*").strip() != "*"


def check_match(visit: Visit, current: BaseModel | View, *, version: int | None = None) -> None:
    """Raises VersionMismatch when the visitor names another version than this."""
    given = visit.request.headers.get("If-Match", "*")
    tag = tag_of(current, version)
    if given.strip() != "*" and not any(f'"{text}"' == tag for weak, text in _TAG.findall(given) if not weak):
        raise VersionMismatch


def expected_version(visit: Visit) -> int | None:
    """For things that have one: the action itself compares it, under its lock. None: the visitor does not say."""
    given = visit.request.headers.get("If-Match", "*").strip()
    if given == "*":
        return None
    found = _VERSION.fullmatch(given)
    if found is None:
        raise VersionMismatch
    return int(found[1])


@contextmanager
def matching() -> Iterator[None]:
    """What an action says about a version that has passed, as HTTP says it."""
    try:
        yield
    except (VersionChanged, SettingChanged) as error:
        raise VersionMismatch(error.detail) from error
