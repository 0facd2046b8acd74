"""The documentation: links lead somewhere, both READMEs say the same, and tables of words say what the code says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from typer.main import get_command

from pabal import web
from pabal.cli import app
from pabal.platform.language.status import STATUS
from pabal.platform.platform_slice import NAV
from pabal.platform.web.openapi import list_problems

ROOT = Path(__file__).parent.parent
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_COMMAND = re.compile(r"(?:^|[`$(] ?)pabal((?: [a-z][a-z-]*)+)", re.MULTILINE)
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)


def list_pages(root: Path = ROOT) -> list[Path]:
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return sorted(path for path in found if path.is_file())


def broken_links(root: Path) -> list[str]:
    return [f"{page.relative_to(root)}: {link}" for page in list_pages(root) for link in _broken_in(page)]


def _broken_in(page: Path) -> Iterator[str]:
    text = _CODE.sub("", _FENCED.sub("", page.read_text(encoding="utf-8")))
    for link in _LINK.findall(text):
        name, _, anchor = unquote(link).partition("#")
        target = (page.parent / name).resolve() if name else page
        if re.match(r"[a-z]+:", link):
            continue
        is_there = target.exists() and (not anchor or anchor in list_anchors(target))
        if not is_there:
            yield link


def list_anchors(page: Path) -> set[str]:
    """As the usual viewers make them of headings."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for _, heading in _HEADING.findall(text)}


def list_unknown_commands(text: str) -> list[str]:
    """`pabal word word` as far as the words can be commands: an argument is written otherwise."""
    return [words.strip() for words in _COMMAND.findall(text) if not _is_command(words.split())]


def _is_command(words: list[str]) -> bool:
    node: Any = get_command(app)
    for word in words:
        node = node.load() if hasattr(node, "load") else node
        if not hasattr(node, "commands"):
            return True
        if word not in node.commands:
            return False
        node = node.commands[word]
    return True


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("docs/apps/*.md"), *ROOT.glob("docs/platform/*.md")]), ids=lambda p: p.stem
)
def test_every_command_that_the_page_of_an_app_or_of_the_platform_names_is_there(page: Path) -> None:
    assert list_unknown_commands(page.read_text(encoding="utf-8")) == []


def test_a_command_that_is_not_there_is_caught() -> None:
    assert list_unknown_commands("`pabal inbox`, `pabal drain`, `pabal render worker wash W`") == [
        "drain",
        "render worker wash",
    ]


def test_every_link_leads_to_something() -> None:
    assert len(list_pages()) > 30
    assert broken_links(ROOT) == []


@pytest.mark.parametrize("link", ["gone.md", "there.md#no-such-heading", "../gone/", "#not-here"])
def test_a_link_to_nothing_is_caught(tmp_path: Path, link: str) -> None:
    (tmp_path / "there.md").write_text("# There\n\n## A heading, `code` too\n")
    (tmp_path / "page.md").write_text(
        f"# Page\n[ok](there.md#a-heading-code-too) [web](https://x.test/y) [x]({link})\n"
    )

    assert broken_links(tmp_path) == [f"page.md: {link}"]


class TestBothReadmes:
    english = (ROOT / "README.md").read_text(encoding="utf-8")
    korean = (ROOT / "README.ko.md").read_text(encoding="utf-8")

    def test_have_the_same_headings(self) -> None:
        levels = [[len(level) for level, _ in _HEADING.findall(_FENCED.sub("", text))] for text in self._both()]

        assert levels[0] == levels[1]

    def test_have_the_same_commands_and_code(self) -> None:
        english, korean = (_FENCED.findall(text) for text in self._both())

        assert english == korean

    def test_have_the_same_tables(self) -> None:
        english, korean = ([row.count("|") for row in _ROW.findall(_FENCED.sub("", text))] for text in self._both())

        assert english == korean

    def test_lead_to_the_same_places_and_name_the_same_things(self) -> None:
        """In the same order, but for the link to each other."""
        english, korean = (self._named(text) for text in self._both())

        assert english == korean

    def _both(self) -> tuple[str, str]:
        return self.english, self.korean

    def _named(self, text: str) -> list[str]:
        plain = _FENCED.sub("", text)
        links = [link for link in _LINK.findall(plain) if not link.startswith("README.")]
        return [*links, *sorted(_CODE.findall(plain))]


class TestTablesOfWords:
    def test_every_status_word_is_on_its_page(self) -> None:
        page = (ROOT / "docs/design/ux.md").read_text(encoding="utf-8")

        missing = [
            f"{family}.{code}"
            for family, words in STATUS.items()
            for code, status in words.items()
            if f"{status.word[0]} {status.word[1]}" not in page
        ]

        assert missing == []

    def test_the_errors_on_that_page_say_what_the_code_says(self) -> None:
        assert web  # what it imports declares every error
        page = (ROOT / "docs/design/ux.md").read_text(encoding="utf-8")
        said = {one.code: f"| `{one.code}` | {one.english} | {one.korean} |" for one in list_problems()}

        shown = re.findall(r"^\| `(\w+)` \|.*$", page, re.MULTILINE)

        assert len(shown) > 5
        assert [code for code in shown if said.get(code, "") not in page or code not in said] == []

    def test_the_console_page_names_every_page_of_the_menu_and_its_key(self) -> None:
        page = (ROOT / "docs/platform/console.md").read_text(encoding="utf-8")

        missing = [item.href for item in NAV if f"| {item.label[0]} | {item.label[1]} | `g {item.goto}` |" not in page]

        assert missing == []


def test_every_file_on_the_three_roads_is_there_and_counted():
    roads = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Three roads")[2].partition("\n## ")[0]

    for road in roads.split("**From")[1:]:
        files = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", road))
        [said] = re.findall(r"(\d+) files", road)
        assert [name for name in sorted(files) if not (ROOT / "src/pabal" / name).exists()] == []
        assert int(said) == len(files), road[:60]


# "the slice's model.py" is a file of the small example or of an app; each may be a folder of the same name
BASES = ("", "src/pabal", "src/pabal/apps/messaging", "src/pabal/apps/adgroups", "docs/examples/lostfound")
GUIDES = (ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/how-to").glob("*.md")))
# of the examples: files that their diffs would add
ADDED = {"apps/adgroups/migrations/0004_advertisers.sql", "apps/messaging/migrations/0006_silent.sql"}
_PATH = re.compile(r"`((?:[\w.-]+/)+|(?:[\w.-]+/)*[\w-]+\.(?:py|sql|md|html|css|txt|toml|sh))(?:`|[ :#])")
_DIFF = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def is_there(name: str, root: Path = ROOT) -> bool:
    folder = name.removesuffix(".py")
    return any((root / base / one).exists() for base in BASES for one in (name, folder))


def read_diffs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each file that a diff names, with the lines that stand around the change."""
    for diff in _DIFF.findall(text):
        for part in re.split(r"^# ", diff, flags=re.MULTILINE)[1:]:
            names, _, lines = part.partition("\n")
            for name in names.split(", "):
                yield name, [line[1:] for line in lines.splitlines() if line.startswith(" ") and "…" not in line]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_every_path_a_guide_names_is_there_and_stands_once_in_its_row(guide: Path):
    text = guide.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    named = {*_PATH.findall(prose), *(name for name, _ in read_diffs(text))}

    assert sorted(name for name in named - ADDED if not is_there(name) and "NNNN" not in name) == []
    for row in _ROW.findall(prose):
        found = _PATH.findall(row)
        assert len(found) == len(set(found)), row


@pytest.mark.parametrize("guide", GUIDES[1:], ids=lambda guide: guide.name)
def test_what_stands_around_a_change_of_a_guide_is_in_the_file(guide: Path):
    """A line may be cut at its end."""
    for name, around in read_diffs(guide.read_text(encoding="utf-8")):
        if name not in ADDED and len(around) > 0:
            known = (ROOT / "src/pabal" / name).read_text(encoding="utf-8")
            assert [line for line in around if line.strip() and line.strip() not in known] == [], name


def test_a_path_to_nothing_is_caught(tmp_path: Path):
    (tmp_path / "there.py").write_text("")

    assert _PATH.findall("`there.py` and `gone/away.sql` beside `code()`") == ["there.py", "gone/away.sql"]
    assert [is_there(name, tmp_path) for name in ("there.py", "gone/away.sql")] == [True, False]
