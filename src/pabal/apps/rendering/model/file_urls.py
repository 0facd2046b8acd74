"""Paths as the worker's machine writes them, and the file:// addresses nexrender reads them from. Pure."""

import re
from urllib.parse import quote, unquote

from pabal.apps.rendering.model.findings import find
from pabal.apps.rendering.model.texts import is_one_line
from pabal.platform.findings import FieldsRefused

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")  # two letters or more: one letter is a Windows drive
_DRIVE = re.compile(r"^[A-Za-z]:/")
# nexrender replaces $NAME with a variable of the worker's environment, and cannot be told not to
_VARIABLE = re.compile(r"\$\w")
# nexrender decodes with JavaScript's decodeURI, which leaves these escaped: they must stay as they are
_NOT_ESCAPED = "/;,?:@&=+$#-_.!~*'()"
# core cuts longer names on Windows and gives them a random end
_LONGEST_NAME = 50
_LONGEST_EXTENSION = 9


def plain_path(text: str) -> str | None:
    """The path with forward slashes. None if it is not a file of the worker's machine, or could lead to another one."""
    path = text.strip().replace("\\", "/")
    if path.lower().startswith("file://"):
        path = _path_in_url(path[len("file://") :])
    if not path or _SCHEME.match(path) or "|" in path or _VARIABLE.search(path) or not is_one_line(path):
        return None
    return None if ".." in path.split("/") or path.endswith("/") else path


def is_absolute(path: str) -> bool:
    return path.startswith("/") or _DRIVE.match(path) is not None


def file_url(path: str) -> str:
    """file:///D:/a%20b.png, file:///mnt/a.png, file://NAS/share/a.png."""
    plain = plain_path(path)
    if plain is None or not is_absolute(plain):
        raise FieldsRefused([find("path_not_absolute", "path", path=path)])
    if plain.startswith("//"):
        return "file:" + quote(plain, safe=_NOT_ESCAPED)
    return "file:///" + quote(plain.lstrip("/"), safe=_NOT_ESCAPED)


def file_name(path: str) -> str:
    """The last part, short enough for nexrender to leave it alone."""
    name = path.replace("\\", "/").rpartition("/")[2]
    if len(name) <= _LONGEST_NAME:
        return name
    extension = extension_of(path)[:_LONGEST_EXTENSION]
    return name[: _LONGEST_NAME - len(extension)] + extension


def extension_of(path: str) -> str:
    """With its dot, in lower case; empty without one."""
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return f".{extension.lower()}" if stem and dot else ""


def _path_in_url(rest: str) -> str:
    """The seed writes two slashes before a drive, the standard three; a host makes it a share."""
    path = unquote(rest)
    drive = path.lstrip("/")
    if _DRIVE.match(drive):
        return drive
    return path if path.startswith("/") else f"//{path}"
