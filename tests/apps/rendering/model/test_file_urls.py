import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.file_urls import extension_of, file_name, file_url, plain_path
from pabal.platform.findings import FieldsRefused

# what JavaScript's decodeURI leaves escaped
RESERVED = ";/?:@&=+$,#"


def read_as_nexrender(url: str) -> str:
    """The path that the package file-uri-to-path makes of it on Windows, with forward slashes."""
    parts = re.split(r"((?:%[0-9A-F]{2})+)", url.removeprefix("file://"))
    rest = "".join(_decode(part) if part.startswith("%") else part for part in parts)
    host, _, path = rest.partition("/")
    path = re.sub(r"^(.+)\|", r"\1:", path)
    return f"//{host}/{path}" if host else path if re.match(r"^.+:", path) else f"/{path}"


def _decode(escaped: str) -> str:
    text = bytes.fromhex(escaped.replace("%", "")).decode()
    return "".join("".join(f"%{byte:02X}" for byte in sign.encode()) if sign in RESERVED else sign for sign in text)


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("D:/templates/cyprusdesign.aep", "file:///D:/templates/cyprusdesign.aep"),
        ("d:\\assets\\flags\\United States.png", "file:///d:/assets/flags/United%20States.png"),
        ("D:/국기/대한민국.png", "file:///D:/%EA%B5%AD%EA%B8%B0/%EB%8C%80%ED%95%9C%EB%AF%BC%EA%B5%AD.png"),
        ("D:/100%/a#b&c.png", "file:///D:/100%25/a#b&c.png"),
        ("/mnt/templates/main.aep", "file:///mnt/templates/main.aep"),
        ("\\\\NAS\\share\\a.png", "file://NAS/share/a.png"),
        ("file://D:/templates/a b.aep", "file:///D:/templates/a%20b.aep"),
        ("file:///D:/templates/a%20b.aep", "file:///D:/templates/a%20b.aep"),
        ("file:///mnt/a.aep", "file:///mnt/a.aep"),
        ("file://NAS/share/a.png", "file://NAS/share/a.png"),
    ],
)
def test_a_path_becomes_an_address_nexrender_opens(path: str, url: str):
    assert file_url(path) == url


@pytest.mark.parametrize("path", ["templates/main.aep", "", "http://host/a.png", "D:main.aep"])
def test_what_is_no_whole_path_has_no_address(path: str):
    with pytest.raises(FieldsRefused) as refused:
        file_url(path)

    assert refused.value.findings[0].code == "path_not_absolute"


@pytest.mark.parametrize(
    "text",
    [
        "https://host/a.png",
        "s3://bucket/a",
        "D:/a/../b",
        "D:/a\0b",
        "D:/$SECRET/a",
        "D:/a|b",
        "data:image/png,x",
        "D:/a/",
    ],
)
def test_addresses_elsewhere_and_paths_that_could_be_another_are_none(text: str):
    assert plain_path(text) is None


@given(
    st.lists(st.text(st.sampled_from(string.printable[:94] + " 한é%"), min_size=1, max_size=12), min_size=1, max_size=4)
)
def test_nexrender_reads_back_the_very_path(parts: list[str]):
    path = plain_path("D:/" + "/".join(part.replace("\\", "x").replace("/", "x") for part in parts))

    if path is not None:
        assert read_as_nexrender(file_url(path)) == path


@pytest.mark.parametrize(
    ("path", "name", "extension"),
    [
        ("D:/a/Main Title.AEP", "Main Title.AEP", ".aep"),
        ("D:\\a\\main.tar.gz", "main.tar.gz", ".gz"),
        ("/a/none", "none", ""),
        ("/a/" + "x" * 80 + ".aep", "x" * 46 + ".aep", ".aep"),
        ("/a/" + "x" * 80, "x" * 50, ""),
    ],
)
def test_a_file_name_is_short_enough_for_nexrender_to_keep(path: str, name: str, extension: str):
    assert (file_name(path), extension_of(path)) == (name, extension)
