"""Where a run of tests keeps files: one folder for all its workers, in memory where there is room. Imports next to
nothing, so that a plugin may have it."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30  # far more than two workers ever need


def has_memory() -> bool:
    return os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM


def prefer_memory(folder: Path) -> Path:
    """A place in memory for this folder, where there is room; who takes it removes it."""
    return MEMORY / f"pabal-tests-{digest(folder)}" if has_memory() else folder


def session_folder(factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """What all workers of a session share."""
    return factory.getbasetemp() if worker_id == "master" else factory.getbasetemp().parent


def digest(thing: object) -> str:
    return hashlib.sha256(str(thing).encode()).hexdigest()[:12]
