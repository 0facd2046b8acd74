"""Static files: found once, named by what is in them, so that a browser may keep them for a year."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

STATIC = Path(__file__).parent / "static"
PREFIX = "/static/"
FOREVER = "public, max-age=31536000, immutable"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
_PACKABLE = frozenset({".css", ".js", ".json", ".svg", ".txt"})


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, read: `packed` is its gzip, where that is worth sending."""

    body: bytes
    packed: bytes | None
    media_type: str
    version: str


class Assets:
    """The files of the platform, and of each slice below its name. Only what was found can be asked for."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._folder = folder
        self._read: dict[str, Asset] = {}

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return _list_files(self._folder)

    def add(self, name: str, folder: Path) -> None:
        self._paths.update({f"{name}/{path}": file for path, file in _list_files(folder).items()})

    def find(self, path: str) -> Asset | None:
        if path not in self._read and path in self._paths:
            self._read[path] = _read_file(self._paths[path])
        return self._read.get(path)

    def url(self, path: str) -> str:
        """A file that is not there keeps its plain address, and a browser that asks for it is told so."""
        found = self.find(path)
        return f"{PREFIX}{path}" if found is None else f"{PREFIX}{path}?v={found.version}"


_ASSETS = Assets()


def asset(path: str) -> str:
    """The address of a static file: `asset("pabal.css")`, `asset("messaging/bubbles.js")`."""
    return _ASSETS.url(path)


def make_assets(folders: Mapping[str, Path] | None = None, assets: Assets = _ASSETS) -> APIRouter:
    """The route that serves them. `folders` are those of the slices, by name."""
    for name, folder in (folders or {}).items():
        assets.add(name, folder)
    router = APIRouter()

    @router.api_route(f"{PREFIX}{{path:path}}", methods=["GET", "HEAD"], include_in_schema=False)
    async def serve(request: Request, path: str) -> Response:
        found = assets.find(path)
        if found is None:
            return PlainTextResponse("There is no such file.", 404)
        return _answer(request, found)

    return router


def _answer(request: Request, found: Asset) -> Response:
    is_named = request.query_params.get("v") == found.version
    headers = {
        "Cache-Control": FOREVER if is_named else "no-cache",
        "ETag": f'W/"{found.version}"',
        "Vary": "Accept-Encoding",
    }
    if headers["ETag"] in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    if found.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(found.packed, headers=headers, media_type=found.media_type)
    return Response(found.body, headers=headers, media_type=found.media_type)


def _list_files(folder: Path) -> dict[str, Path]:
    """What a browser may ask for; files of other kinds lie beside them for the build."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.suffix in MEDIA_TYPES and path.is_file()
    }


def _read_file(path: Path) -> Asset:
    body = path.read_bytes()
    version = hashlib.sha256(body).hexdigest()[:16]
    return Asset(body, _pack(path, body), MEDIA_TYPES[path.suffix], version)


def _pack(path: Path, body: bytes) -> bytes | None:
    """The build has packed what came from npm; ours is packed when it is first asked for."""
    if path.suffix not in _PACKABLE:
        return None
    beside = path.with_name(f"{path.name}.gz")
    packed = beside.read_bytes() if beside.is_file() else gzip.compress(body, 9, mtime=0)
    return packed if len(packed) < len(body) else None
