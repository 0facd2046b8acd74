"""Every page of the menu has its picture, at a desk and on a phone, and the index knows them all."""

import re

import pytest

from pabal.platform.platform_slice import NAV
from tests.browser.routes import list_slices
from tools.screenshots import FOLDER, MOST_BYTES

MENU = [*NAV, *(item for one in list_slices() for item in one.nav)]
NAMES = ["overview", *(item.href.strip("/").replace("/", "-") for item in MENU)]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_the_menu_has_its_pictures(name: str) -> None:
    assert (FOLDER / f"{name}.png").is_file()
    assert (FOLDER / f"{name}-390.png").is_file()


def test_the_index_and_the_folder_hold_the_same_and_nothing_heavy() -> None:
    there = {path.name for path in FOLDER.glob("*.png")}

    listed = set(re.findall(r"\(([\w-]+\.png)\)", (FOLDER / "README.md").read_text(encoding="utf-8")))

    assert listed == there
    assert [path.name for path in FOLDER.glob("*.png") if path.stat().st_size > MOST_BYTES] == []
