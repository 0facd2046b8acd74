"""Values as they are shown in a layer or written in a file of mappings: what can be shown, and how long it is. Pure."""

import math
import unicodedata
from decimal import Decimal

_LINE_ENDS = str.maketrans("", "", "\n\r\t")
_LONGEST_NUMBER = 9


def text_of(value: object) -> str | None:
    """A value as it is shown: numbers without an exponent, true and false as JSON has them. None: it cannot be."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(value)
        case float() if math.isfinite(value):
            return format(Decimal(repr(value)), "f")
    return None


def is_one_line(text: str) -> bool:
    """Without control characters, ends of lines and halves of surrogate pairs, which cannot be stored or sent."""
    return not any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in text)


def is_showable(text: str) -> bool:
    """As one line, or as several: a layer may hold them."""
    return is_one_line(text.translate(_LINE_ENDS).replace("\u2028", ""))


def length_of(text: str) -> int:
    """As people count: a letter and its accent are one."""
    return sum(not unicodedata.combining(sign) for sign in unicodedata.normalize("NFC", text))


def whole_number(value: object) -> int | None:
    """Of a number or of its digits; true is no number."""
    if isinstance(value, str):
        digits = value.strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
