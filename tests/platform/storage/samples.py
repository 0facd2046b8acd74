"""Pictures and byte streams for the storage tests."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from pabal.base.database import Database
from pabal.platform.actor import Actor
from pabal.platform.storage import File, Files, Upload, UploadLimits, accept_image

LIMITS = UploadLimits()
ALL_FORMATS = UploadLimits(formats=("JPEG", "PNG", "GIF", "WEBP"))


def noise(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    return Image.frombytes(mode, (width, height), os.urandom(width * height * len(mode)))


def picture(format: str = "JPEG", image: Image.Image | None = None, **options: Any) -> bytes:
    into = io.BytesIO()
    (image or noise()).save(into, format, **options)
    return into.getvalue()


def animation(frames: int, format: str = "GIF", size: tuple[int, int] = (20, 10)) -> bytes:
    first, *rest = [noise(*size) for _ in range(frames)]
    return picture(format, first, save_all=True, append_images=rest)


async def stream(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def cut(content: bytes, sizes: Iterable[int]) -> list[bytes]:
    """The content in pieces of these sizes, and the rest."""
    pieces, start = [], 0
    for size in sizes:
        pieces.append(content[start : start + size])
        start += size
    return [*pieces, content[start:]]


async def add_picture(db: Database, files: Files, actor: Actor, name: str = "a.jpg") -> File:
    return await accept_image(db, files, actor, Upload(stream(picture()), name), LIMITS)


def everything_in(folder: Path) -> list[str]:
    """Every file below, those under temporary names included."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def until_empty(root: Path) -> None:
    """The store removes its temporary file in a thread of its own."""
    async with asyncio.timeout(30):
        while everything_in(root):
            await asyncio.sleep(0.01)
