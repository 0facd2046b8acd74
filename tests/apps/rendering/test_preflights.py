"""What a server concludes of the files of a render that it can see, and of those that it cannot."""

from pathlib import Path

import pytest

from pabal.apps.rendering.farm import Farm, make_farm
from pabal.apps.rendering.model import gfx as gfx_model
from pabal.apps.rendering.model import mapping
from pabal.apps.rendering.model.compositions import Composition, FieldMapping, place_in
from pabal.apps.rendering.preflights import find_problems
from pabal.apps.rendering.simulator.projects import make_project
from pabal.apps.rendering.startup import RenderingStartup
from pabal.platform.findings import Finding

FLAG = FieldMapping("c", "Flag 1", "Flag 1", "image")
NAME = FieldMapping("c", "Single - name", "Name")


async def list_codes(farm: Farm, *, picture: Path, template: str = "chips.aep") -> list[str]:
    return [one.code for one in await list_problems(farm, picture=picture, template=template)]


async def list_problems(farm: Farm, *, picture: Path, template: str = "chips.aep") -> list[Finding]:
    placed = place_in(Composition("c", "C", template, text_limits={"name": 3}), farm.startup.aep_template_dir)
    data = gfx_model.parse({"composition_name": "C", "single_fields": {"name": "TOO LONG"}, "flags": [str(picture)]})
    assigned = mapping.assign(data, placed, (FLAG, NAME))
    return await find_problems(farm, placed, assigned)


def put_files(folder: Path, *, template: bytes) -> None:
    (folder / "templates" / "chips.aep").write_bytes(template)
    (folder / "templates" / "kr.png").write_bytes(b"x")


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
    put_files(tmp_path, template=make_project(["B", "C"]))

    assert await list_codes(web_server, picture=tmp_path / "templates" / "kr.png") == ["text_too_long"]


async def test_a_template_without_the_composition_is_named_with_those_it_has(web_server: Farm, tmp_path: Path):
    put_files(tmp_path, template=make_project(["B", "A"]))

    found = await list_problems(web_server, picture=tmp_path / "templates" / "kr.png")

    assert [one.code for one in found] == ["composition_not_in_template", "text_too_long"]
    assert found[0].text[0].endswith("It has: A, B.")


async def test_a_file_that_is_no_project_is_named(web_server: Farm, tmp_path: Path):
    put_files(tmp_path, template=b"\x89PNG")

    found = await list_codes(web_server, picture=tmp_path / "templates" / "kr.png")

    assert found == ["template_damaged", "text_too_long"]


async def test_of_a_folder_that_is_not_on_this_server_nothing_is_concluded(web_server: Farm, tmp_path: Path):
    picture = tmp_path / "another machine's" / "kr.png"

    assert await list_codes(web_server, picture=picture, template="D:/templates/chips.aep") == ["text_too_long"]


async def test_a_server_that_knows_no_folders_looks_at_none(tmp_path: Path):
    assert await list_codes(make_server(tmp_path), picture=tmp_path / "kr.png") == ["text_too_long"]
