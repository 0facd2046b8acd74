"""The contact sheet: first, middle and last picture of a render as small JPEGs, all three side by side, and two seconds
from its middle that play for ever."""

import asyncio
import base64
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from pabal.apps.rendering.video.child import ask
from pabal.apps.rendering.video.inspecting import MEMORY_MB, SECONDS


@dataclass(frozen=True, slots=True)
class Sheet:
    first: Path
    middle: Path
    last: Path
    sheet: Path
    loop: Path


FILES = {name: f"{name}.jpg" for name in ("first", "middle", "last", "sheet")} | {"loop": "loop.webp"}


async def contact_sheet(path: Path, folder: Path, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> Sheet:
    """Writes them to `folder` under the names of FILES; nothing if the file cannot be read."""
    cut = await ask("frames", path, seconds=seconds, memory_mb=memory_mb)
    return await asyncio.to_thread(_write, folder, cut)


def _write(folder: Path, cut: dict[str, Any]) -> Sheet:
    folder.mkdir(parents=True, exist_ok=True)
    return Sheet(*(_write_one(folder / file, base64.b64decode(cut[name])) for name, file in FILES.items()))


def _write_one(path: Path, content: bytes) -> Path:
    """Renamed into place: a page that shows it never gets half a picture."""
    part = path.with_name(f".{path.name}-{token_hex(4)}")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
