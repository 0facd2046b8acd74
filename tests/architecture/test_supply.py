"""What is fetched is what was chosen: container images by digest, packages by hash."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, files, write

_IMAGE = re.compile(r"^\s*(?:FROM|image:|COPY --from=|#\s*syntax=)\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_PINNED = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
_INSTALLS = re.compile(r"(?:\bpip3? (?:install|wheel|sync|download)|\buv (?:add|sync|build|run|tool)|\buvx|\bpipx)\b")
# by hash; from what is already here; or this project itself, built with what the build's lock names by hash
_HASHED = ("--require-hashes", "--no-index", "--no-build-isolation", "--build-constraints requirements-build.lock")
_FETCHES = re.compile(
    r"\b(?:apt-get|apt|apk) .*\b(?:install|add)\b|\b(?:curl|wget)\b|\bnpm (?:install|i|update|exec)\b|\bnpx\b"
)
# What some tests need, from the signed archive of the developer's own system
_SYSTEM = ("tools/browser.sh", "tools/pgbouncer.sh", "tools/bubblewrap.sh")
# The image's only packages of its system (decision 67): no wheel has them
_OF_THE_IMAGE = "RUN apt-get install --quiet --yes --no-install-recommends bubblewrap git"
_PLACES = ("Dockerfile", "*.Dockerfile", "compose*.yaml", "compose*.yml", "Makefile", "tools/*.sh", ".ci/*")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock", "requirements-uv.lock")


def supply_faults(root: Path) -> list[str]:
    return [f"{path.relative_to(root)}: {fault}" for path in files(root, *_PLACES) for fault in _faults_in(path, root)]


def lock_faults(text: str) -> list[str]:
    """Requirements of a lock that no hash follows, or that name no exact version."""
    wanted = re.split(r"\n(?=\S)", text.strip())
    return [one.split()[0] for one in wanted if "--hash=sha256:" not in one or not re.match(r"[\w.-]+==\S+", one)]


def test_every_image_has_a_digest_and_every_package_a_hash():
    assert supply_faults(PROJECT) == []
    for name in LOCKS:
        assert lock_faults((PROJECT / name).read_text(encoding="utf-8")) == [], name


def test_both_stages_of_the_image_are_the_same_python_and_the_build_has_the_npm_it_asks_for():
    found = re.findall(r"^FROM (\S+)", (PROJECT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    [node] = re.findall(r'^NODE = "(.+)"$', (PROJECT / "hatch_build.py").read_text(encoding="utf-8"), re.MULTILINE)

    assert (len(found), len(set(found))) == (2, 1)
    assert f"{node} " in (PROJECT / "requirements-build.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "lock",
    ["package-lock.json", "tests/apps/rendering/real/package-lock.json", "tests/apps/rules/gemini/package-lock.json"],
)
def test_npm_checks_every_package_it_is_given(lock: str):
    text = (PROJECT / lock).read_text(encoding="utf-8")

    assert "resolved" not in text
    assert text.count('"integrity": "sha512-') == len(re.findall(r'^    "node_modules/', text, re.MULTILINE)) > 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "FROM python:3.12-slim-bookworm"),
        ("Dockerfile", "FROM python@sha256:" + "a" * 64),
        ("Dockerfile", "# syntax=docker/dockerfile:1"),
        ("Dockerfile", "RUN apt-get update && apt-get install --yes tini"),
        ("Dockerfile", f"{_OF_THE_IMAGE} tini"),
        ("Dockerfile", "RUN pip install --no-deps ."),
        ("Dockerfile", "RUN curl -L https://example.org/tool -o /bin/tool"),
        ("compose.yaml", "    image: caddy:2-alpine"),
        ("tools/venv.sh", 'python -m pip install "uv==1.2.3"'),
        ("Makefile", "INSTALL := $(UV) pip install --no-deps --editable ."),
        (".ci/run", "uvx ruff check"),
    ],
)
def test_what_comes_by_its_name_alone_is_caught(tmp_path: Path, name: str, text: str):
    write(tmp_path, name, f"{text}\n")

    [fault] = supply_faults(tmp_path)

    assert name in fault


def test_a_requirement_without_a_hash_is_caught():
    assert lock_faults("a==1 \\\n    --hash=sha256:00\nb==2\nc>=3 \\\n    --hash=sha256:00\n") == ["b==2", "c>=3"]


def _faults_in(path: Path, root: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for image in _IMAGE.findall(text):
        if not _PINNED.fullmatch(image) and image not in (*_stages(text), "pabal:local"):
            yield f"image {image} has no digest"
    for line in text.splitlines():
        # each command of a line for itself
        for command in re.split(r"&&|;", line.partition(" # ")[0]):
            if _INSTALLS.search(command) and not any(word in command for word in _HASHED):
                yield f"no hashes: {command.strip()}"
            if command.strip().startswith("echo ") or (path.name == "Dockerfile" and command.strip() == _OF_THE_IMAGE):
                continue
            if _FETCHES.search(command) and str(path.relative_to(root)) not in _SYSTEM:
                yield f"no hash: {command.strip()}"


def _stages(text: str) -> list[str]:
    return re.findall(r"^FROM .+ AS (\S+)$", text, re.MULTILINE | re.IGNORECASE)
