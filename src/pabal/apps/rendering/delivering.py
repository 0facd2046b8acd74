"""What a finished render looks like: its film, read in ranges from the NAS, and its contact sheet, cut on demand.

Only the path of the render's own row is opened, below this server's folder of finished films.
"""

import asyncio
import shutil
from pathlib import Path
from typing import Literal

from pabal.apps.rendering.errors import NoFilm
from pabal.apps.rendering.farm import Farm, farm_of
from pabal.apps.rendering.files.delivered import Delivered, find_delivered
from pabal.apps.rendering.files.errors import NasUnavailable, RenderedFileMissing
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.video.frames import FILES, contact_sheet
from pabal.platform.services import Services

Picture = Literal["first", "middle", "last", "sheet", "loop"]
KEPT = "rendering.sheets"
# Pictures are cut again when somebody looks at a render that has long been forgotten.
MOST_KEPT = 1000


async def find_film(services: Services, render: Render) -> Delivered:
    """A NAS that is not mounted is not a film that is gone."""
    farm = farm_of(services)
    below = _below(farm, render)
    try:
        return await find_delivered(farm.nas, below)
    except RenderedFileMissing as missing:
        if await asyncio.to_thread(farm.nas.is_dir):
            raise
        raise NasUnavailable(str(farm.nas)) from missing


async def find_picture(services: Services, render: Render, which: Picture) -> Path:
    """One is cut at a time: each takes a process that reads the whole film."""
    folder = services.settings.data_dir / "rendering" / "sheets" / _name(render)
    wanted = folder / FILES[which]
    if await asyncio.to_thread(wanted.is_file):
        return wanted
    async with _lock(services):
        if not await asyncio.to_thread(wanted.is_file):
            film = await find_film(services, render)
            await contact_sheet(film.path, folder)
            await asyncio.to_thread(_forget_oldest, folder.parent)
    return wanted


def _below(farm: Farm, render: Render) -> str:
    if render.output_file_path is None or not farm.startup.nas_mount_path:
        raise NoFilm(str(render.id))
    try:
        return str(Path(render.output_file_path).relative_to(farm.nas))
    except ValueError as error:
        raise NoFilm(str(render.id)) from error


def _name(render: Render) -> str:
    """Of this very film: a render that was tried again has another."""
    if render.output_sha256 is None:
        raise NoFilm(str(render.id))
    return f"{render.id}-{render.output_sha256[:16]}"


def _lock(services: Services) -> asyncio.Lock:
    kept = services.kept.get(KEPT)
    if not isinstance(kept, asyncio.Lock):
        kept = services.kept[KEPT] = asyncio.Lock()
    return kept


def _forget_oldest(folder: Path) -> None:
    kept = sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime)
    for one in kept[: max(0, len(kept) - MOST_KEPT)]:
        shutil.rmtree(one, ignore_errors=True)
