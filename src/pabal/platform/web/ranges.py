"""Parts of a file by RFC 9110: which bytes a Range header asks for, and the headers of what is answered."""

import re
from typing import Literal
from urllib.parse import quote

from pabal.platform.storage import BadSpan, Content, Span
from pabal.platform.web.visit import Visit

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


class RangeNotThere(BadSpan, code="range_not_there"):
    """The file has no such range of bytes. Content-Range says how many it has."""

    status = 416


def read_span(visit: Visit, size: int, tag: str) -> Span | None:
    """One range; what cannot be read as one, or is of another version, is the whole file."""
    found = _RANGE.fullmatch(visit.request.headers.get("Range", "").replace(" ", ""))
    if found is None or found.group(1, 2) == ("", "") or visit.request.headers.get("If-Range", tag) != tag:
        return None
    first, last = found.group(1, 2)
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(0, size - int(last))
    if start >= size:
        raise RangeNotThere(f"bytes */{size}")
    return Span(start, min(int(last) + 1, size) if first and last else size)


def headers_of(content: Content, *, is_part: bool) -> dict[str, str]:
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Length": str(content.end - content.start),
        "Cache-Control": "private, no-cache",
        # what somebody uploaded is shown, never run
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    if is_part:
        headers["Content-Range"] = f"bytes {content.start}-{content.end - 1}/{content.size}"
    return headers


def disposition(kind: Literal["inline", "attachment"], name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
