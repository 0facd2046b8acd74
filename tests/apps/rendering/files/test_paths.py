"""One file, three names; and no name of a composition can lead out of the NAS folder."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.files.errors import BadOutputTemplate, BadPathVariable, OutsideFolder, PathNotMapped
from pabal.apps.rendering.files.paths import (
    OUTPUT_TEMPLATE,
    PathMap,
    check_template,
    output_path,
    place_below,
    read_variables,
    safe_name,
)

VARIABLES = r"""
# name = server | worker | NAS
output    = /mnt/render/output | D:/output
templates = /mnt/templates     | D:\templates   | \\NAS\templates
nas       = /mnt/nas           | \\NAS          | \\NAS
broadcast = /mnt/nas/broadcast | Z:/            | \\NAS\broadcast
"""
DAY = date(2026, 7, 3)


@pytest.fixture
def paths() -> PathMap:
    return read_variables(VARIABLES)


def name_output(composition: str, render_id: int | str = 7, template: str = OUTPUT_TEMPLATE) -> str:
    return output_path(template, render_id=render_id, composition_name=composition, broadcast_date=DAY)


@pytest.mark.req("B-36", "B-57")
def test_the_renderers_file_has_a_name_on_both_machines(paths: PathMap):
    assert paths.to_worker("{output}/job_7.mp4") == "D:/output/job_7.mp4"
    assert paths.to_server("D:/output/job_7.mp4") == "/mnt/render/output/job_7.mp4"
    assert paths.to_worker("/mnt/render/output/job_7.mp4") == "D:/output/job_7.mp4"


@pytest.mark.parametrize(
    ("asked", "server", "worker", "unc"),
    [
        ("d:\\TEMPLATES\\a b.aep", "/mnt/templates/a b.aep", r"D:\templates\a b.aep", r"\\NAS\templates\a b.aep"),
        ("file:///D:/templates/x.aep", "/mnt/templates/x.aep", r"D:\templates\x.aep", r"\\NAS\templates\x.aep"),
        (
            r"\\nas\Broadcast\out\한.mp4",
            "/mnt/nas/broadcast/out/한.mp4",
            "Z:/out/한.mp4",
            r"\\NAS\broadcast\out\한.mp4",
        ),
        ("//NAS/other/x", "/mnt/nas/other/x", r"\\NAS\other\x", r"\\NAS\other\x"),
        ("Z:/out", "/mnt/nas/broadcast/out", "Z:/out", r"\\NAS\broadcast\out"),
    ],
)
def test_whichever_side_names_a_path_every_side_finds_it(
    paths: PathMap, asked: str, server: str, worker: str, unc: str
):
    assert (paths.to_server(asked), paths.to_worker(asked), paths.to_unc(asked)) == (server, worker, unc)
    for name in (server, worker, unc):
        assert paths.to_server(name) == server


def test_a_folder_whose_name_only_begins_alike_is_another_one(paths: PathMap):
    with pytest.raises(PathNotMapped):
        paths.to_worker("/mnt/render/output2/job.mp4")
    with pytest.raises(PathNotMapped):
        paths.to_server("D:/outputs/job.mp4")


def test_linux_knows_case_and_windows_does_not(paths: PathMap):
    assert paths.to_server("d:/OUTPUT/x") == "/mnt/render/output/x"
    with pytest.raises(PathNotMapped):
        paths.to_worker("/mnt/render/OUTPUT/x")


def test_a_side_that_cannot_reach_a_folder_has_no_name_for_it(paths: PathMap):
    with pytest.raises(PathNotMapped):
        paths.to_unc("{output}/job_7.mp4")
    with pytest.raises(PathNotMapped):
        paths.to_server("{unknown}/x")


def test_without_variables_all_is_on_one_machine():
    assert PathMap().to_worker("/tmp/x.aep") == PathMap().to_server("/tmp/x.aep") == "/tmp/x.aep"


@pytest.mark.parametrize("path", ["{output}/../x", r"D:\output\..\..\x", "/mnt/nas/../../etc/passwd"])
def test_no_path_climbs_out(paths: PathMap, path: str):
    for translate in (paths.to_server, paths.to_worker, paths.to_unc):
        with pytest.raises(OutsideFolder):
            translate(path)


@pytest.mark.parametrize(
    "line",
    ["output", "Output = /a | D:/b", "x = a | D:/b", "x = /a | b", "x = /a | D:/b | NAS", "x = /a/.. | D:/b", "x = |"],
)
def test_a_variable_that_cannot_be_right_is_refused(line: str):
    with pytest.raises(BadPathVariable):
        read_variables(line)


def test_a_name_comes_once():
    with pytest.raises(BadPathVariable):
        read_variables("x = /a | D:/a\nx = /b | D:/b")


@pytest.mark.req("B-58")
def test_an_output_lies_under_its_day_with_composition_and_id_in_its_name(paths: PathMap):
    relative = name_output("_MAIN Mini Chip Count", render_id=42)

    assert relative == "2026-07-03/_MAIN_Mini_Chip_Count_42.mp4"
    assert paths.to_unc(f"/mnt/nas/broadcast/output/{relative}") == (
        r"\\NAS\broadcast\output\2026-07-03\_MAIN_Mini_Chip_Count_42.mp4"
    )


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("칩 카운트", "칩_카운트"),
        ("칩", "칩"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("COM¹", "_COM¹"),
        ("console", "console"),
        ("..", "unnamed"),
        ("../../etc/passwd", "_.._etc_passwd"),
        (r"a\b:c*?", "a_b_c__"),
        ("name. ", "name"),
        ("a\u202egpj\0\n.exe", "agpj.exe"),
        ("", "unnamed"),
    ],
)
def test_names_are_the_same_on_every_file_system(name: str, safe: str):
    assert safe_name(name) == safe


def test_a_long_name_is_cut_between_characters_and_the_id_stays():
    relative = name_output("가" * 500, render_id="rnd_01h2xcejqtf2n")

    assert relative.endswith("_rnd_01h2xcejqtf2n.mp4")
    assert len(relative.rpartition("/")[2].encode()) < 200


@given(st.text(max_size=300), st.text(min_size=1, max_size=40))
def test_no_name_leaves_the_folder(name: str, render_id: str):
    relative = name_output(name, render_id=render_id)
    place = place_below(Path("/nowhere/nas"), relative)

    assert place.parent == Path("/nowhere/nas/2026-07-03")
    assert len(place.name.encode()) <= 255
    assert not set(relative.replace("/", "", 1)) & set('<>:"/\\|?*\0')
    assert safe_name(place.name) == place.name


@pytest.mark.parametrize(
    "template",
    [
        "{broadcast_date}/{composition_name}.mp4",
        "{id}/film.mp4",
        "/{id}.mp4",
        "../{id}.mp4",
        r"a\{id}.mp4",
        "C:/{id}.mp4",
        "{id.__class__}.mp4",
        "{id!r}.mp4",
        "{id:>99999999}.mp4",
        "{secret}_{id}.mp4",
        "{id",
        "x" * 180 + "{id}.mp4",
    ],
)
def test_a_template_that_could_lose_or_misplace_a_render_is_refused(template: str):
    with pytest.raises(BadOutputTemplate):
        check_template(template)


def test_the_template_may_be_another_one():
    assert name_output("Name", template="{composition_name}/{broadcast_date} final_{id}.mov") == (
        "Name/2026-07-03_final_7.mov"
    )


@pytest.mark.parametrize("relative", ["../x", "/etc/passwd", r"..\x", "C:/x", "a/../../x", "", ".", "a\0b"])
def test_nothing_is_found_outside_the_folder(tmp_path: Path, relative: str):
    with pytest.raises(OutsideFolder):
        place_below(tmp_path, relative)


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path):
    nas = tmp_path / "nas"
    nas.mkdir()
    (nas / "out").symlink_to(tmp_path)

    with pytest.raises(OutsideFolder):
        place_below(nas, "out/secret.mp4")
