"""The description serves those who generate their client: nothing of it is dropped, and the client works."""

import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi import FastAPI
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from pabal import api
from pabal.base.settings import Settings, split_list
from pabal.platform.slice import load_slices
from pabal.platform.web.openapi import make_schema, operations_of
from tests.support.web import Web

NAME = "pabal_generated_client"
# The generator reads JSON, text and bytes; what other files hold it takes as bytes.
BYTES = ("image/jpeg", "image/png", "image/gif", "image/webp", "application/gzip", "application/x-ndjson", "video/mp4")


pytestmark = pytest.mark.slow


@cache
def described() -> dict[str, Any]:
    """All endpoints of a server with every app that comes with Pabal."""
    site = FastAPI(docs_url=None, openapi_url=None)
    site.include_router(api.router)
    for one in load_slices(split_list(Settings().apps)):
        if one.api:
            site.include_router(importlib.import_module(one.api).router)
    return make_schema(site)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ModuleType]:
    """Generated without a word of warning, and imported."""
    assert _generate(described(), tmp_path / NAME) == []
    sys.path.insert(0, str(tmp_path))
    yield importlib.import_module(NAME)
    sys.path.remove(str(tmp_path))
    for name in [one for one in sys.modules if one.partition(".")[0] == NAME]:
        del sys.modules[name]


def test_no_two_schemas_have_one_title():
    titles = [one["title"] for one in described()["components"]["schemas"].values()]

    assert sorted(titles) == sorted(set(titles))


async def test_a_generated_client_has_every_operation_and_lists_creates_and_deletes(client: ModuleType, web: Web):
    signed_in = client.AuthenticatedClient(base_url=web.url, token=await web.make_token("hq"))
    units = _module("api.units", "list_units", "add_unit", "remove_unit")
    models = importlib.import_module(f"{NAME}.models")
    new = models.NewUnit(parent_id=web.tree.hq.id, level=models.NewUnitLevel.DISTRIBUTOR, name="대구총판")

    async with signed_in:
        made = await units["add_unit"].asyncio(client=signed_in, body=new)
        there = await units["list_units"].asyncio(client=signed_in)
        gone = await units["remove_unit"].asyncio_detailed(made.id, client=signed_in)
        after = await units["list_units"].asyncio(client=signed_in)
        refused = await units["remove_unit"].asyncio(made.id, client=signed_in)

    assert _operations(client) == {operation["operationId"] for _, _, operation in operations_of(described())}
    assert (made.name, made.level, made.name in [one.name for one in there.items]) == ("대구총판", "distributor", True)
    assert (gone.status_code, made.id in [one.id for one in after.items]) == (204, False)
    assert (refused.status, refused.code) == (404, "unit_not_found")


def _operations(client: ModuleType) -> set[str]:
    folder = Path(str(client.__file__)).parent / "api"
    return {one.stem for one in folder.glob("*/*.py")} - {"__init__"}


def _module(package: str, *names: str) -> dict[str, ModuleType]:
    return {name: importlib.import_module(f"{NAME}.{package}.{name}") for name in names}


def _generate(described: dict[str, Any], there: Path) -> list[str]:
    """What the generator complains of."""
    source = there.with_suffix(".json")
    source.write_text(json.dumps(described), encoding="utf-8")
    said = ConfigFile(
        content_type_overrides=dict.fromkeys(BYTES, "application/octet-stream"),
        package_name_override=NAME,
        post_hooks=[],
    )
    config = Config.from_sources(
        said, MetaType.NONE, document_source=source, file_encoding="utf-8", overwrite=False, output_path=there
    )
    return [f"{one.header}: {one.detail}" for one in generate(config=config)]
