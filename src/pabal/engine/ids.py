"""How ids leave the process: `job_` and thirteen letters that sort like the number (it passes 2^53)."""

from datetime import UTC, datetime, timedelta

from pabal.base.errors import Invalid

LAST = 2**63 - 1
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 13
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


class BadId(Invalid, code="bad_id"):
    """This is not an id of ours. Ids look like job_01h2xcejqtf2n."""


def first_at(moment: datetime) -> int:
    """The smallest id made then, as pabal.id_at, for any moment somebody may ask for."""
    return min(max((moment - _EPOCH) // timedelta(milliseconds=1), 0) << 22, LAST)


def show(prefix: str, number: int) -> str:
    letters = []
    for _ in range(_LENGTH):
        number, rest = divmod(number, 32)
        letters.append(_ALPHABET[rest])
    return f"{prefix}_{''.join(reversed(letters))}"


def read(prefix: str, text: str) -> int:
    low, high = read_range(prefix, text)
    if high - low != 1:
        raise BadId(text)
    return low


def read_range(prefix: str, text: str) -> tuple[int, int]:
    """The ids that a shortened id may mean: from the first, up to but not including the last."""
    letters = text.lower().removeprefix(f"{prefix}_")
    if not letters or len(letters) > _LENGTH or any(letter not in _ALPHABET for letter in letters):
        raise BadId(text)
    low = 0
    for letter in letters:
        low = low * 32 + _ALPHABET.index(letter)
    width = 32 ** (_LENGTH - len(letters))
    return low * width, (low + 1) * width
