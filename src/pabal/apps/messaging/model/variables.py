"""Words in braces that each room reads as its own: {톡방}, {지점명}, {오늘}, {요일} and the columns of a CSV. Pure."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

ROOM, BRANCH, TODAY, WEEKDAY = "톡방", "지점명", "오늘", "요일"
BUILT_IN = (ROOM, BRANCH, TODAY, WEEKDAY)
LONGEST = 30
# {{톡방}} is {톡방} as it stands; braces around anything but a word that begins with a letter are no variable
_NAME = r"[^\W\d][^{}\s]{0,29}"
_WORD = re.compile(r"\{\{([^{}\n]*)\}\}|\{(" + _NAME + r")\}")
_DAYS = ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")


def list_names(text: str) -> list[str]:
    """In the order of the text, each once."""
    return list(dict.fromkeys(found[2] for found in _WORD.finditer(text) if found[2] is not None))


def list_unknown(text: str, columns: Collection[str] = ()) -> list[str]:
    return [name for name in list_names(text) if name not in BUILT_IN and name not in columns]


def is_name(name: str) -> bool:
    return re.fullmatch(_NAME, name) is not None


def has_any(text: str | None) -> bool:
    return text is not None and _WORD.search(text) is not None


def values_of(room: str, branch: str, at: datetime, columns: Mapping[str, str]) -> dict[str, str]:
    """`at` on the wall clock of the schedule. A column may not take a built-in name away."""
    own = {ROOM: room, BRANCH: branch, TODAY: f"{at.month}월 {at.day}일", WEEKDAY: _DAYS[at.weekday()]}
    return {**columns, **own}


def fill(text: str, values: Mapping[str, str]) -> str:
    """What nobody knows stays as it is: texts saved before there were variables have braces of their own."""

    def put(found: re.Match[str]) -> str:
        if found[2] is None:
            return f"{{{found[1]}}}"
        return values.get(found[2], found[0])

    return _WORD.sub(put, text)
