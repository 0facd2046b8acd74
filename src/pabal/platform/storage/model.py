"""A stored file, what an upload may be, and how it is refused."""

import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from pabal.base.errors import Conflict, Invalid, NotFound, Unavailable
from pabal.engine import ids

AREA = "files"
LONGEST_NAME = 200
# as S3 allows
LONGEST_LINK = timedelta(days=7)
# file formats as Pillow names them, and what each is called outside
MEDIA_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}
ANY_MEDIA_TYPE = "application/octet-stream"
# control and formatting signs (a right-to-left mark can hide a file's real ending), halves of characters, line ends
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class File:
    """`width` and `height` are as the picture is shown: turned as its camera said. `frames` is 1 for a still one."""

    id: int
    unit_id: int
    key: str
    thumbnail_key: str | None
    name: str
    media_type: str
    size: int
    sha256: str
    width: int | None
    height: int | None
    frames: int | None
    made_by: str
    created_at: datetime
    keep_until: datetime | None

    @property
    def shown_id(self) -> str:
        return ids.show("file", self.id)


@dataclass(frozen=True, slots=True)
class Upload:
    """What is being sent. It belongs to `unit_id`, or else to the sender's own unit.

    `area` is where the sender must be allowed to write. `keep_until` keeps it even while nothing refers to it.
    """

    chunks: AsyncIterator[bytes]
    name: str
    unit_id: int | None = None
    area: str = AREA
    keep_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """`max_pixels` counts one picture; all frames of a moving one together may have ten times as many."""

    max_bytes: int = 10 * 1024 * 1024
    max_pixels: int = 25_000_000
    formats: tuple[str, ...] = ("JPEG", "PNG", "GIF")
    max_frames: int = 300


@dataclass(frozen=True, slots=True)
class Span:
    """Which bytes: from `start` up to but not including `end`; None is the last."""

    start: int = 0
    end: int | None = None

    def within(self, size: int) -> tuple[int, int]:
        end = size if self.end is None else min(self.end, size)
        if not 0 <= self.start <= end:
            raise BadSpan(f"{self.start} to {self.end} of {size} bytes")
        return self.start, end


WHOLE = Span()


class FileNotFound(NotFound, code="file_not_found"):
    """There is no such file, or it is not yours to see."""


class FileInUse(Conflict, code="file_in_use"):
    """Something still refers to this file. Take it out there first."""


class UploadTooLarge(Invalid, code="upload_too_large"):
    """The file is larger than is accepted here. Make it smaller and upload it again."""


class NotAPicture(Invalid, code="not_a_picture"):
    """This is not a picture that can be opened: it is something else, or damaged or cut off. Upload it again."""


class FormatNotAccepted(Invalid, code="format_not_accepted"):
    """Pictures of this format are not accepted here. Save it in one of the accepted formats and upload it again."""


class TooManyPixels(Invalid, code="too_many_pixels"):
    """The picture has more pixels than is accepted here. Make it smaller and upload it again."""


class TooManyFrames(Invalid, code="too_many_frames"):
    """The moving picture has more frames than is accepted here. Make it shorter and upload it again."""


class UploadExpired(Conflict, code="upload_expired"):
    """The upload took longer than half a day, and what had come was given up. Upload it again."""


class NoLinks(Conflict, code="no_links"):
    """Files are kept in a folder, which gives no links. Read the file through the API, or keep files in a bucket."""


class BadLinkTime(Invalid, code="bad_link_time"):
    """A link works for one second to seven days."""


class MoveFailed(Unavailable, code="move_failed"):
    """What arrived in the new store is not what was sent. Nothing was changed for this file; run the move again."""


class SameStore(Conflict, code="same_store"):
    """What was put there is found in the store that files would be moved from: it is the same one by another name."""


class BadSpan(Invalid, code="bad_span"):
    """The file has no such range of bytes."""


class StoreFailed(Unavailable, code="store_failed"):
    """The file store cannot be read or written. Check the disk and the rights on the data folder, or that the bucket's
    server answers; then try again."""


class ContentMissing(Unavailable, code="content_missing"):
    """The file is listed, but its content is not in the file store. Bring it back from a backup."""


def clean_name(name: str) -> str:
    """As uploaded, without a path, without signs nobody sees, composed (NFC), with its ending kept when cut."""
    last = name.replace("\\", "/").rpartition("/")[2]
    seen = "".join(sign for sign in last if unicodedata.category(sign) not in _UNSEEN)
    said = unicodedata.normalize("NFC", " ".join(seen.split())).strip(". ")
    if len(said) <= LONGEST_NAME:
        return said or "file"
    ending = PurePosixPath(said).suffix[:20]
    return said[: LONGEST_NAME - len(ending)].rstrip(". ") + ending
