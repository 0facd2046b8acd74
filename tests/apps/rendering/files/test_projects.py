"""Which compositions an After Effects project holds, as far as its file says so."""

import unicodedata
from pathlib import Path

import pytest

from pabal.apps.rendering.files import projects
from pabal.apps.rendering.files.errors import NotProject
from pabal.apps.rendering.files.projects import list_compositions
from pabal.apps.rendering.simulator.projects import make_project

XML = """<?xml version="1.0" encoding="UTF-8"?>
<AfterEffectsProject xmlns="http://www.adobe.com/products/aftereffects" majorVersion="1">
  <Fold>
    <Item><idta bdata="00010000"/><string>Folder</string>
      <Sfdr><Item><idta bdata="00040000"/><string>A &amp; B</string><Layr><string>Name 1</string></Layr></Item></Sfdr>
    </Item>
    <Item><idta bdata="00070000"/><string>Footage</string></Item>
  </Fold>
</AfterEffectsProject>
"""


def write(folder: Path, content: bytes, name: str = "chips.aep") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


async def test_compositions_are_found_in_the_folders_of_a_project(tmp_path: Path):
    made = make_project(["_MAIN Mini Chip Count", "칩 리더"])

    assert await list_compositions(write(tmp_path, made)) == {"_MAIN Mini Chip Count", "칩 리더"}


async def test_what_follows_the_project_in_its_file_is_not_part_of_it(tmp_path: Path):
    made = make_project(["A"]) + b"<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>"

    assert await list_compositions(write(tmp_path, made)) == {"A"}


async def test_korean_as_a_mac_writes_it_is_the_same_name(tmp_path: Path):
    made = make_project([unicodedata.normalize("NFD", "칩 리더")])

    assert await list_compositions(write(tmp_path, made)) == {unicodedata.normalize("NFC", "칩 리더")}


async def test_the_same_is_read_from_xml(tmp_path: Path):
    assert await list_compositions(write(tmp_path, XML.encode(), "chips.aepx")) == {"A & B"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.aep", b""),
        ("short.aep", b"RIFX"),
        ("picture.aep", b"\x89PNG\r\n\x1a\n" * 8),
        ("riff.aep", b"RIFF" + make_project(["A"])[4:]),
        ("half.aep", make_project(["A", "B"])[:-20]),
        ("half.aepx", XML.encode()[:300]),
        ("other.aepx", b"<html><body/></html>"),
        ("laughs.aepx", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><AfterEffectsProject>&a;</AfterEffectsProject>'),
    ],
)
async def test_what_is_no_project_or_half_of_one_is_said_to_be_none(tmp_path: Path, name: str, content: bytes):
    with pytest.raises(NotProject):
        await list_compositions(write(tmp_path, content, name))


async def test_of_a_project_that_is_built_otherwise_nothing_is_concluded(tmp_path: Path):
    content = b"Egg!" + b"LIST" + (4).to_bytes(4, "big") + b"Xxxx"
    other = b"RIFX" + len(content).to_bytes(4, "big") + content

    assert await list_compositions(write(tmp_path, other)) is None
    assert await list_compositions(write(tmp_path, b"<AfterEffectsProject/>", "other.aepx")) is None


async def test_of_a_project_beyond_the_bounds_nothing_is_concluded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write(tmp_path, make_project(["A", "B"]))
    deep = write(tmp_path, make_nested(projects.MOST_DEPTH + 1), "deep.aep")
    monkeypatch.setattr(projects, "MOST_CHUNKS", 5)
    monkeypatch.setattr(projects, "LARGEST_XML", 100)

    assert await list_compositions(path) is None
    assert await list_compositions(write(tmp_path, XML.encode(), "large.aepx")) is None
    monkeypatch.undo()
    assert await list_compositions(deep) is None


async def test_sizes_that_lie_lead_nowhere(tmp_path: Path):
    made = bytearray(make_project(["A", "B"]))
    first = made.index(b"Item") - 4
    made[first : first + 4] = b"\xff\xff\xff\xff"

    assert await list_compositions(write(tmp_path, bytes(made))) == {"A", "B"}


def make_nested(depth: int) -> bytes:
    content = b""
    for _ in range(depth):
        content = b"LIST" + (4 + len(content)).to_bytes(4, "big") + b"Sfdr" + content
    whole = b"Egg!" + content
    return b"RIFX" + len(whole).to_bytes(4, "big") + whole
