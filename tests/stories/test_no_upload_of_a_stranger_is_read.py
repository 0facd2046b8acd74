"""Whatever address takes an upload, of whichever app: nobody's is begun, and the connection it would come on ends."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.web.posted import open_posted
from tests.support.web import SECRET, Web
from tests.support.wire import connected

MULTIPART = "Content-Type: multipart/form-data; boundary=b"
LENGTHS = ("Content-Length: 300000000", "Transfer-Encoding: chunked")


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=apps, secret_key=SECRET)


def _takes_uploads(route: APIRoute) -> bool:
    """As its description says, or because its form may bring files."""
    described = (route.openapi_extra or {}).get("requestBody", {}).get("content", {})
    posted = f"{open_posted.__module__}.{open_posted.__qualname__}."
    return "multipart/form-data" in described or any(name.startswith(posted) for name in _names(route.dependant))


def _names(dependant: Dependant) -> Iterator[str]:
    for one in dependant.dependencies:
        yield f"{getattr(one.call, '__module__', '')}.{getattr(one.call, '__qualname__', '')}"
        yield from _names(one)


def _list_uploads(web: Web) -> list[str]:
    found = [(one, one.original_route) for one in iter_route_contexts(web.site.routes)]
    return [
        getattr(one, "path", route.path)
        for one, route in found
        if isinstance(route, APIRoute) and "POST" in route.methods and _takes_uploads(route)
    ]


def _expect(path: str, accept: str) -> tuple[int, str]:
    """A program is told; a person is led to where one signs in."""
    return (303, "/sign-in?next=%2F") if accept == "text/html" and not path.startswith("/api/") else (401, "")


async def test_no_address_that_takes_uploads_begins_a_stranger_s(web: Web):
    paths = _list_uploads(web)
    wrong = []
    for path, length, accept in product(paths, LENGTHS, ("application/json", "text/html")):
        async with connected(web.url) as wire:
            line = "POST " + path.format(schedule_id=1, template_id=1)
            # whoever begins to read says so, with a 100
            await wire.request(line, MULTIPART, length, "Expect: 100-continue", f"Accept: {accept}")
            answer = await wire.answer()
            told = (answer.status, answer.headers.get("location", ""), answer.headers.get("connection"))
            if told != (*_expect(path, accept), "close"):
                wrong.append((path, length, accept, told))
            assert await wire.is_closed()

    assert wrong == []
    assert {"/api/v1/files", "/api/v1/messages/images", "/messages/files", "/ads/migration/plan"} < set(paths)
    assert len(paths) == 11
