"""docs/apps/rendering.md: what the requirements refer to has its counterpart, and the NAS is opened by its mount."""

import re
from pathlib import Path

import pytest

from pabal.apps.rendering.files.copying import copy_verified
from pabal.apps.rendering.files.errors import NasReadOnly, NasUnavailable
from pabal.apps.rendering.startup import RenderingStartup

ROOT = Path(__file__).parents[3]
APP = ROOT / "src/pabal/apps/rendering"
GUIDE = (ROOT / "docs/apps/rendering.md").read_text(encoding="utf-8")


@pytest.mark.req("B-121")
@pytest.mark.parametrize("reference", ["pipeline", "field mapping", "database schema", "nexrender API"])
def test_each_reference_of_the_requirements_has_its_counterpart(reference: str):
    [here] = re.findall(rf"^\| {reference} \| (.+) \|$", GUIDE, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", GUIDE, re.MULTILINE)}
    links = re.findall(r"\[[^]]+\]\(#([^)]+)\)", here)
    files = [one for one in re.findall(r"`([^`]+)`", here) if "/api/" not in one]

    assert links
    assert files
    assert set(links) <= anchors
    assert [one for one in files if not (APP / one).exists()] == []


@pytest.mark.req("B-108")
def test_the_account_of_the_nas_is_that_of_the_mount_and_none_is_kept_here():
    own = {name for name in RenderingStartup.model_fields if "nas" in name.split("_")}
    lines = re.findall(r"^//\S+ +(/\S+) +cifs +credentials=/etc/", GUIDE, re.MULTILINE)

    assert own == {"nas_mount_path", "nas_output_dir", "nas_unc"}
    assert "/mnt/nas" in lines
    assert "directory account" in GUIDE
    assert "keeps no password of a NAS" in GUIDE


@pytest.mark.req("B-108")
async def test_a_mount_whose_account_may_not_write_is_refused_with_that_reason(tmp_path: Path):
    source = tmp_path / "film.mp4"
    source.write_bytes(b"film")

    # nobody may make a file there, whoever runs the tests
    with pytest.raises((NasReadOnly, NasUnavailable)) as refused:
        await copy_verified(source, Path("/proc/film.mp4"), root=Path("/proc"))

    assert "/proc" in str(refused.value.detail)
