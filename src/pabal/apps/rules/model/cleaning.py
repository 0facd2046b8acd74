"""What comes from outside as the database can keep it: no NUL, no lone surrogate, no NaN, not too deep or large."""

import json
import math
from collections.abc import Mapping
from typing import Any

LARGEST = 64 * 1024
DEEPEST = 30


def clean_text(text: str) -> str:
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def clean_data(value: Any) -> Any:
    """Plain JSON in any case. What is too large is left out, and says so."""
    cleaned = _clean(value, 0)
    size = len(json.dumps(cleaned, ensure_ascii=False).encode())
    return cleaned if size <= LARGEST else {"too_large": size}


def is_clean(value: Any) -> bool:
    return bool(_clean(value, 0) == value)


def _clean(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        return None
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case str():
            return clean_text(value)
        case Mapping():
            return {clean_text(str(key)): _clean(one, depth + 1) for key, one in value.items()}
        case list() | tuple():
            return [_clean(one, depth + 1) for one in value]
        case _:
            return clean_text(str(value))
