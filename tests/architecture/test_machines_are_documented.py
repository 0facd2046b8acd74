"""Every machine of an app is drawn on the app's page, as it is declared now."""

from pathlib import Path

import pytest

from pabal.apps.messaging.machine import DELIVERY
from pabal.platform.slice import Slice
from tests.architecture.source import write
from tools.diagrams import PAGES, NotAMachine, draw_all, faults, list_apps, redraw

APP = Slice("post", machines=(DELIVERY,))
PLACE = "<!-- machine: delivery -->\n<!-- /machine -->\n"


def test_the_pages_of_the_apps_show_their_machines_as_they_are():
    apps = list_apps()

    assert [app.name for app in apps if app.machines]
    assert list(faults(apps, PAGES)) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "post has no page post.md"),
        ("# Post\n", "post.md has no place for machine delivery"),
        (PLACE, "post.md shows a machine as it was: python -m tools.diagrams"),
        (redraw(PLACE, {"delivery": "stateDiagram-v2\n    [*] --> closed\n"}), "post.md shows a machine as it was"),
    ],
)
def test_what_is_missing_or_stale_is_caught(tmp_path: Path, text: str | None, complaint: str):
    if text is not None:
        write(tmp_path, "post.md", text)

    [found] = faults([APP], tmp_path)

    assert found.startswith(complaint)


def test_drawing_changes_only_what_is_between_the_marks(tmp_path: Path):
    before = f"# Post\n\n{PLACE}\nAfter.\n"

    drawn = redraw(before, draw_all(APP))
    write(tmp_path, "post.md", drawn)

    assert drawn.startswith("# Post\n\n<!-- machine: delivery -->\n```mermaid\nstateDiagram-v2\n")
    assert drawn.endswith("```\n<!-- /machine -->\n\nAfter.\n")
    assert list(faults([APP], tmp_path)) == []


def test_a_place_for_a_machine_the_app_does_not_have_is_refused():
    with pytest.raises(NotAMachine, match="parcel"):
        redraw("<!-- machine: parcel -->\n<!-- /machine -->", draw_all(APP))
