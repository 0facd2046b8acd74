"""A router of many routes is passed by at once by whoever goes elsewhere, and by nobody else."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import Match

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.web.wings import Wing
from tests.support.web import SECRET, Web

HOLE = re.compile(r"\{[^}]+\}")


def make_site(tried: Counter[str]) -> FastAPI:
    class Counted(APIRoute):
        def matches(self, scope: Any) -> Any:
            tried[self.path] += 1
            return super().matches(scope)

    def say(word: str = "") -> str:
        return word

    wing, within, late = Wing(prefix="/tea"), APIRouter(route_class=Counted), APIRouter()
    within.get("/cups/{word}")(say)
    within.get("/pot")(say)
    late.get("/{word}")(say)
    wing.include_router(within)
    site = FastAPI()
    for router in (wing, late):
        site.include_router(router)
    return site


async def ask(site: FastAPI, path: str, method: str = "GET") -> int:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site), base_url="http://pabal") as client:
        return (await client.request(method, path)).status_code


async def test_only_what_begins_as_one_of_its_addresses_is_tried() -> None:
    tried: Counter[str] = Counter()
    site = make_site(tried)

    assert [await ask(site, path) for path in ("/coffee", "/tea", "/teapot")] == [200, 200, 200]
    assert await ask(site, "/tea/potter") == 404
    assert not tried

    assert [await ask(site, path) for path in ("/tea/cups/green", "/tea/pot")] == [200, 200]
    assert await ask(site, "/tea/cups/green/hot") == 404
    assert await ask(site, "/tea/pot", "DELETE") == 405
    assert tried.keys() == {"/cups/{word}", "/pot"}


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    """With all apps."""
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, secret_key=SECRET)


async def test_every_address_of_a_whole_server_leads_to_its_route(web: Web) -> None:
    wings = [one for one in web.site.router.routes if isinstance(getattr(one, "original_router", None), Wing)]
    lost = []
    for wing in wings:
        for one in iter_route_contexts([wing]):
            scope = {
                "type": "http",
                "path": HOLE.sub("7", one.path or ""),
                "method": next(iter(one.methods or {"GET"})),
            }
            if wing.matches({**scope, "headers": [], "root_path": ""})[0] is Match.NONE:
                lost.append(one.path)

    assert len(wings) == 12
    assert lost == []
