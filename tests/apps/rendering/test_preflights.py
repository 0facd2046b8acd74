"""What a server concludes of the files of a render that it can see, and of those that it cannot."""

from pathlib import Path

import pytest

from pabal.apps.rendering.farm import Farm, make_farm
from pabal.apps.rendering.model import gfx as gfx_model
from pabal.apps.rendering.model import mapping
from pabal.apps.rendering.model.compositions import Composition, FieldMapping, place_in
from pabal.apps.rendering.preflights import find_problems
from pabal.apps.rendering.startup import RenderingStartup

FLAG = FieldMapping("c", "Flag 1", "Flag 1", "image")
NAME = FieldMapping("c", "Single - name", "Name")


async def list_codes(farm: Farm, *, picture: Path, template: str = "chips.aep") -> list[str]:
    placed = place_in(Composition("c", "C", template, text_limits={"name": 3}), farm.startup.aep_template_dir)
    data = gfx_model.parse({"composition_name": "C", "single_fields": {"name": "TOO LONG"}, "flags": [str(picture)]})
    assigned = mapping.assign(data, placed, (FLAG, NAME))
    return [one.code for one in await find_problems(farm, placed, assigned)]


def make_server(folder: Path, **given: str) -> Farm:
    for name in ("templates", "nas", "output"):
        (folder / name).mkdir(exist_ok=True)
    return make_farm(RenderingStartup(**given))  # type: ignore[arg-type]  # by their variables


@pytest.fixture
def web_server(tmp_path: Path) -> Farm:
    return make_server(tmp_path, AEP_TEMPLATE_DIR=str(tmp_path / "templates"), NAS_MOUNT_PATH=str(tmp_path / "nas"))


async def test_everything_that_is_wrong_is_named_at_once(web_server: Farm, tmp_path: Path):
    (tmp_path / "nas").rmdir()

    found = await list_codes(web_server, picture=tmp_path / "templates" / "kr.png")

    assert found == ["template_missing", "text_too_long", "picture_missing", "nas_unwritable"]


async def test_what_is_there_is_not_complained_about(web_server: Farm, tmp_path: Path):
    for name in ("chips.aep", "kr.png"):
        (tmp_path / "templates" / name).write_bytes(b"x")

    assert await list_codes(web_server, picture=tmp_path / "templates" / "kr.png") == ["text_too_long"]


async def test_of_a_folder_that_is_not_on_this_server_nothing_is_concluded(web_server: Farm, tmp_path: Path):
    picture = tmp_path / "another machine's" / "kr.png"

    assert await list_codes(web_server, picture=picture, template="D:/templates/chips.aep") == ["text_too_long"]


async def test_a_server_that_knows_no_folders_looks_at_none(tmp_path: Path):
    assert await list_codes(make_server(tmp_path), picture=tmp_path / "kr.png") == ["text_too_long"]
