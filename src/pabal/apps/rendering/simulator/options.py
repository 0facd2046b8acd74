"""How a simulated nexrender is to be: its machines, how long they take, where they write, and how it misbehaves."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pabal.apps.rendering.simulator.faults import Fault
from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.simulator.table import PickupOrder
from pabal.base.errors import Invalid

if TYPE_CHECKING:
    from pabal.apps.rendering.simulator.journal import FarmEntry


class BadPathMapping(Invalid, code="bad_sim_path"):
    """Not a path mapping of the form d:/output=/srv/output."""


class BadRenderSeconds(Invalid, code="bad_sim_seconds"):
    """Not seconds of the form 15-25, 20, or composition=20."""


class BadSimProject(Invalid, code="bad_sim_project"):
    """Not a project of the form templates/chips.aep=_MAIN Mini Chip Count, or another file is there already."""


@dataclass(frozen=True)
class LocalFolder:
    """Where a folder that render machines know by `prefix`, such as d:/output, is on this machine."""

    prefix: str
    folder: Path


@dataclass(frozen=True)
class NexrenderOptions:
    """`seconds` is the range of a render's time, drawn for each job by `seed` and uid; `composition_seconds` fixes it.
    `steps` is how often progress is reported. Copies take `copy_seconds` and grow under their final name.
    `polling_seconds` 0: idle workers see a new job at once; a real one looks every 30 seconds.
    `reads_sources`: a render whose template or pictures cannot be read ends in error, as with a real worker."""

    port: int = 0
    secret: str = field(default="", repr=False)
    workers: int = 2
    seconds: tuple[float, float] = (15.0, 25.0)
    composition_seconds: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    steps: int = 20
    polling_seconds: float = 0.0
    copy_seconds: float = 0.0
    order: PickupOrder = PickupOrder.FIFO
    folders: tuple[LocalFolder, ...] = ()
    reads_sources: bool = False
    film: Film = field(default_factory=Film)
    faults: tuple[Fault, ...] = ()
    database: Path | None = None
    log: Path | None = None
    tell: "Callable[[FarmEntry], None] | None" = field(default=None, repr=False)


def parse_folder(text: str) -> LocalFolder:
    prefix, separator, folder = text.partition("=")
    if not separator or not prefix or not folder:
        raise BadPathMapping(text)
    return LocalFolder(prefix, Path(folder))


def parse_project(text: str) -> tuple[Path, str]:
    """The file, and a composition that is to be in it."""
    file, _, composition = text.partition("=")
    if not composition or not file.lower().endswith(".aep"):
        raise BadSimProject(text)
    return Path(file), composition


def parse_seconds(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?", text)
    if not found:
        raise BadRenderSeconds(text)
    least = float(found[1])
    most = float(found[2] or least)
    if most < least:
        raise BadRenderSeconds(text)
    return least, most


def parse_composition_seconds(text: str) -> tuple[str, float]:
    composition, separator, seconds = text.rpartition("=")
    if not separator or not composition:
        raise BadRenderSeconds(text)
    return composition, parse_seconds(seconds)[0]
