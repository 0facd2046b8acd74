"""Pairing codes, and what users may say to the relay itself. Pure."""

import re
import secrets
from dataclasses import dataclass
from enum import StrEnum

# Without 0 and O, 1 and I: people type these codes from a screen.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LENGTH = 8
_NOT_IN_CODES = re.compile(r"[01OI]")
_SPACES_AND_DASHES = re.compile(r"[\s\-‐-―−_.]+")
_COMMAND = re.compile(r"/(pair|unpair|status|help|code)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)


class Word(StrEnum):
    """What the relay itself answers; everything else is for the instance."""

    PAIR = "pair"
    UNPAIR = "unpair"
    STATUS = "status"
    HELP = "help"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Command:
    word: Word
    rest: str = ""


def read_command(utterance: str) -> Command | None:
    found = _COMMAND.fullmatch(utterance.strip())
    return None if found is None else Command(Word(found[1].lower()), (found[2] or "").strip())


def make_code() -> str:
    drawn = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return f"{drawn[:4]}-{drawn[4:]}"


def read_code(typed: str) -> str:
    """As codes are kept, however it was typed: in small letters, with another dash, with none."""
    bare = _SPACES_AND_DASHES.sub("", typed).upper()[: 2 * LENGTH]
    return f"{bare[:4]}-{bare[4:]}" if len(bare) > 4 else bare


def has_unused_letters(code: str) -> bool:
    """A code never has these, so somebody has taken a letter for another."""
    return _NOT_IN_CODES.search(code) is not None
