"""File storage: uploads checked by decoding and streamed to the file store, thumbnails, and retention."""

from pabal.platform.storage.actions import (
    find_files,
    get_file,
    keep,
    keep_many,
    read,
    read_thumbnail,
    release,
    release_all,
    remove_file,
)
from pabal.platform.storage.gateway import Content, Files
from pabal.platform.storage.model import (
    BadSpan,
    ContentMissing,
    File,
    FileInUse,
    FileNotFound,
    FormatNotAccepted,
    NotAPicture,
    Span,
    StoreFailed,
    TooManyFrames,
    TooManyPixels,
    Upload,
    UploadExpired,
    UploadLimits,
    UploadTooLarge,
)
from pabal.platform.storage.pictures import THUMBNAIL_MEDIA_TYPE
from pabal.platform.storage.sweep import sweep_once
from pabal.platform.storage.uploads import accept_file, accept_image

__all__ = [
    "THUMBNAIL_MEDIA_TYPE",
    "BadSpan",
    "Content",
    "ContentMissing",
    "File",
    "FileInUse",
    "FileNotFound",
    "Files",
    "FormatNotAccepted",
    "NotAPicture",
    "Span",
    "StoreFailed",
    "TooManyFrames",
    "TooManyPixels",
    "Upload",
    "UploadExpired",
    "UploadLimits",
    "UploadTooLarge",
    "accept_file",
    "accept_image",
    "find_files",
    "get_file",
    "keep",
    "keep_many",
    "read",
    "read_thumbnail",
    "release",
    "release_all",
    "remove_file",
    "sweep_once",
]
