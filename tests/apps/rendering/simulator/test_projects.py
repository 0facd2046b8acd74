"""Projects for those who have no After Effects: written where nothing else is."""

from pathlib import Path

import pytest

from pabal.apps.rendering.simulator.options import BadSimProject, parse_project
from pabal.apps.rendering.simulator.projects import make_project, write_projects


def test_a_file_has_all_compositions_that_were_named_for_it(tmp_path: Path) -> None:
    path = tmp_path / "templates" / "chips.aep"
    wanted = [parse_project(f"{path}=A"), parse_project(f"{path}=B = C")]

    write_projects(wanted)
    write_projects(wanted)

    assert path.read_bytes() == make_project(["A", "B = C"])


def test_what_somebody_else_made_stays(tmp_path: Path) -> None:
    path = tmp_path / "chips.aep"
    path.write_bytes(b"RIFX of somebody")

    with pytest.raises(BadSimProject):
        write_projects([(path, "A")])

    assert path.read_bytes() == b"RIFX of somebody"


@pytest.mark.parametrize("text", ["chips.aep", "chips.aep=", "chips.mp4=A", "=A"])
def test_what_is_no_project_is_refused(text: str) -> None:
    with pytest.raises(BadSimProject):
        parse_project(text)
