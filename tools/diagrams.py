"""`python -m tools.diagrams` draws the machines of each app into its page, docs/apps/<app>.md, between their marks."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pabal.base.settings import Settings, split_list
from pabal.platform.slice import Slice, load_slice

PAGES = Path(__file__).resolve().parents[1] / "docs" / "apps"

_MARKED = re.compile(r"(?P<mark><!-- machine: (?P<name>\w+) -->\n).*?(?P<end><!-- /machine -->)", re.DOTALL)


class NotAMachine(Exception):
    """A page marks a place for a machine the app does not have."""


def list_apps() -> list[Slice]:
    """Those a server loads when nobody says otherwise."""
    default: str = Settings.model_fields["apps"].default
    return [load_slice(name) for name in split_list(default)]


def redraw(text: str, diagrams: Mapping[str, str]) -> str:
    def draw(found: re.Match[str]) -> str:
        if found["name"] not in diagrams:
            raise NotAMachine(found["name"])
        return f"{found['mark']}```mermaid\n{diagrams[found['name']]}```\n{found['end']}"

    return _MARKED.sub(draw, text)


def faults(apps: Iterable[Slice], pages: Path) -> Iterator[str]:
    """What is missing or stale: every machine has its place on its app's page, and the diagram of today in it."""
    for app in apps:
        page = pages / f"{app.name}.md"
        if not page.exists():
            yield f"{app.name} has no page {page.name}"
            continue
        text = page.read_text(encoding="utf-8")
        marked = {found["name"] for found in _MARKED.finditer(text)}
        yield from (
            f"{page.name} has no place for machine {one.name}" for one in app.machines if one.name not in marked
        )
        if redraw(text, draw_all(app)) != text:
            yield f"{page.name} shows a machine as it was: python -m tools.diagrams"


def draw_all(app: Slice) -> dict[str, str]:
    return {machine.name: machine.diagram() for machine in app.machines}


def main() -> int:
    apps = list_apps()
    for app in apps:
        page = PAGES / f"{app.name}.md"
        if page.exists():
            page.write_text(redraw(page.read_text(encoding="utf-8"), draw_all(app)), encoding="utf-8")
    left = list(faults(apps, PAGES))
    for fault in left:
        print(fault, file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
