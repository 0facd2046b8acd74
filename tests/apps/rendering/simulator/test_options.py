"""Options with a form of their own, and paths of Windows machines on this one."""

from pathlib import Path

import pytest

from pabal.apps.rendering.simulator.local_paths import NoSuchDrive, find_local, find_source
from pabal.apps.rendering.simulator.options import (
    BadPathMapping,
    BadRenderSeconds,
    LocalFolder,
    parse_composition_seconds,
    parse_folder,
    parse_seconds,
)

FOLDERS = (
    LocalFolder("D:/", Path("/srv/d")),
    LocalFolder("d:/output", Path("/srv/out")),
    LocalFolder(r"\\nas\share", Path("/mnt/nas")),
)


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("d:/output/a b.mp4", "/srv/out/a b.mp4"),
        (r"D:\OUTPUT\x\a.mp4", "/srv/out/x/a.mp4"),
        ("d:/outputs/a.mp4", "/srv/d/outputs/a.mp4"),
        ("//nas/share/2026/a.mp4", "/mnt/nas/2026/a.mp4"),
        ("/var/out/a.mp4", "/var/out/a.mp4"),
    ],
)
def test_the_longest_prefix_names_the_folder(path: str, local: str) -> None:
    assert find_local(path, FOLDERS) == Path(local)


@pytest.mark.parametrize("path", ["e:/output/a.mp4", "a.mp4", ""])
def test_a_path_of_a_drive_that_was_not_named_is_refused(path: str) -> None:
    with pytest.raises(NoSuchDrive):
        find_local(path, FOLDERS)


@pytest.mark.parametrize(
    ("src", "local"),
    [
        ("file:///d:/templates/a%20b.aep", "/srv/d/templates/a b.aep"),
        ("file:///srv/templates/a.aep", "/srv/templates/a.aep"),
        ("file://nas/share/a.aep", "/mnt/nas/a.aep"),
        ("https://example.org/a.aep", None),
    ],
)
def test_a_source_is_found_by_its_address(src: str, local: str | None) -> None:
    assert find_source(src, FOLDERS) == (None if local is None else Path(local))


def test_options_are_read_as_they_are_shown_in_the_help() -> None:
    assert parse_folder("d:/output=/srv/out") == LocalFolder("d:/output", Path("/srv/out"))
    assert (parse_seconds("15-25"), parse_seconds("0.5")) == ((15.0, 25.0), (0.5, 0.5))
    assert parse_composition_seconds("A=B 1=20") == ("A=B 1", 20.0)


@pytest.mark.parametrize("text", ["", "d:/output", "=x", "d:/="])
def test_a_mapping_without_both_sides_is_refused(text: str) -> None:
    with pytest.raises(BadPathMapping):
        parse_folder(text)


@pytest.mark.parametrize("text", ["", "a", "5-", "25-15", "-5", "1e9"])
def test_seconds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadRenderSeconds):
        parse_seconds(text)


@pytest.mark.parametrize("text", ["20", "=20", "Main=", "Main=x"])
def test_seconds_without_their_composition_are_refused(text: str) -> None:
    with pytest.raises(BadRenderSeconds):
        parse_composition_seconds(text)
