import gzip
import json
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from hatch_build import BuildFailed, draw_sprite, keep_parts
from pabal.apps.adgroups import SLICE as ADGROUPS
from pabal.apps.messaging import SLICE as MESSAGING
from pabal.apps.relay import SLICE as RELAY
from pabal.apps.rendering import SLICE as RENDERING
from pabal.platform.web.assets import FOREVER, STATIC, Assets, asset, make_assets

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "src/pabal"
TEMPLATES = sorted(SOURCES.rglob("templates/**/*.html"))


def open_browser(assets: Assets | None = None, folders: dict[str, Path] | None = None) -> TestClient:
    app = FastAPI()
    app.include_router(make_assets(folders, assets or Assets()))
    return TestClient(app)


@pytest.fixture
def browser() -> TestClient:
    return open_browser()


def test_a_file_asked_for_by_its_content_is_kept_for_a_year(browser: TestClient):
    answer = browser.get(asset("pabal.css"))

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == FOREVER
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert answer.content == (STATIC / "pabal.css").read_bytes()


def test_a_file_asked_for_by_name_or_by_an_old_version_is_asked_for_again(browser: TestClient):
    plain, old = browser.get("/static/pabal.css"), browser.get("/static/pabal.css?v=0123456789abcdef")

    assert plain.headers["Cache-Control"] == old.headers["Cache-Control"] == "no-cache"


def test_what_the_browser_has_is_not_sent_again(browser: TestClient):
    mark = browser.get(asset("pabal.css")).headers["ETag"]

    answer = browser.get("/static/pabal.css", headers={"If-None-Match": mark})

    assert answer.status_code == 304
    assert answer.content == b""


def test_it_is_packed_for_those_who_can_open_it(browser: TestClient):
    with browser.stream("GET", asset("pabal.css"), headers={"Accept-Encoding": "gzip"}) as answer:
        packed = b"".join(answer.iter_raw())
    plain = browser.get(asset("pabal.css"), headers={"Accept-Encoding": "identity"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == plain.content
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "path",
    ["no-such-file.css", "../assets.py", "%2e%2e/assets.py", "js/../../assets.py", "icons.txt/", "vendor/BUILT", ""],
)
def test_what_is_not_a_static_file_is_not_there(browser: TestClient, path: str):
    assert browser.get(f"/static/{path}").status_code == 404


def test_a_slice_serves_its_own_files_below_its_name(tmp_path: Path):
    (tmp_path / "bubbles.js").write_text("export {};\n")
    assets = Assets()
    browser = open_browser(assets, {"messaging": tmp_path})

    answer = browser.get(assets.url("messaging/bubbles.js"))

    assert answer.text == "export {};\n"
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == FOREVER


def test_a_changed_file_has_another_address(tmp_path: Path):
    (tmp_path / "a.css").write_text("a{}")
    before = Assets(tmp_path).url("a.css")
    (tmp_path / "a.css").write_text("b{}")

    assert Assets(tmp_path).url("a.css") != before


def test_every_file_a_template_names_is_there():
    named = {path for text in read_templates() for path in re.findall(r"""\basset\(["']([\w./-]+)["']\)""", text)}
    assets = Assets()
    open_browser(assets, {one.name: one.static for one in (MESSAGING, ADGROUPS, RELAY, RENDERING)})

    assert named
    assert {path for path in named if "?v=" not in assets.url(path)} == set()


def test_every_icon_that_is_named_is_in_the_sprite():
    drawn = set(re.findall(r'id="([\w-]+)"', (STATIC / "vendor/icons.svg").read_text()))
    named = {
        name for text in read_templates() for name in re.findall(r"""\bicon(?:_name)?[(=]["']([\w-]+)["']""", text)
    }
    in_code = {name for text in read_code() for name in re.findall(r"""\bicon=["']([\w-]+)["']""", text)}

    assert named
    assert (named | in_code) - drawn == set()


def test_no_template_and_no_script_needs_what_the_policy_forbids():
    """Inline scripts and styles, event attributes and eval would be refused by the Content-Security-Policy."""
    inline = re.compile(r"<style\b|<script(?![^>]*\bsrc=)|\son[a-z]+\s*=\s*[\"']|javascript:", re.IGNORECASE)
    evaluated = re.compile(r"\beval\(|new Function\(|document\.write|\.setAttribute\(\s*[\"']on")

    found = [path.name for path in TEMPLATES if inline.search(path.read_text())]
    found += [path.name for path in sorted((STATIC / "js").glob("*.js")) if evaluated.search(path.read_text())]

    assert found == []


def test_the_first_load_is_small():
    """Under 300 kB compressed, page included, without the charts; the room left is for what comes."""
    loaded = ["pabal.css", "vendor/tabler.min.css", "vendor/htmx.min.js", "vendor/icons.svg"]
    loaded += [f"js/{path.name}" for path in (STATIC / "js").glob("*.js") if path.name != "charts.js"]
    found = [Assets().find(path) for path in loaded]

    sizes = {path: len(one.packed or one.body) for path, one in zip(loaded, found, strict=True) if one is not None}

    assert sizes.keys() == set(loaded)
    assert sum(sizes.values()) < 150_000, sizes


def test_only_the_parts_of_tabler_that_are_built_on_are_shipped():
    sheet = ".btn,.navbar{a:b}@media (x){.card{c:d}.form-control:not(.btn,.is-valid){e:f}}:root{--i:j}@keyframes k{}"

    assert keep_parts(sheet) == ".btn{a:b}@media (x){.form-control:not(.btn,.is-valid){e:f}}:root{--i:j}"


def test_an_icon_that_tabler_does_not_have_stops_the_build(tmp_path: Path):
    with pytest.raises(BuildFailed, match="no-such-icon"):
        draw_sprite(tmp_path, ["no-such-icon"])


def test_the_lock_names_what_each_package_must_be_but_no_registry():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]

    fetched = {name: package for name, package in packages.items() if name}
    assert {name for name, package in fetched.items() if not package.get("integrity")} == set()
    assert {name for name, package in fetched.items() if "resolved" in package} == set()


def read_templates() -> list[str]:
    return [path.read_text() for path in TEMPLATES]


def read_code() -> list[str]:
    return [path.read_text() for path in sorted(SOURCES.rglob("*.py"))]
