"""Passwords: the policy, and argon2 in two threads of its own, so that a flood takes neither all memory nor the loop.

Hashing takes tens of milliseconds: nobody calls this with a transaction open (see signing.py).
"""

import asyncio
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from pabal.platform.auth.model import WeakPassword

SHORTEST, LONGEST = 10, 200
_AT_ONCE = 2
_COMMON_ONES = """
    0123456789 1234567890 12345678910 0987654321 1234512345 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc q1w2e3r4t5 qwer1234!!
    qwerty1234 qwerty12345 qwerty123456 qwertyuiop asdfghjkl1 asdfasdf12 abcd1234!! abcdefghij password12 password123
    password1234 password123! passw0rd12 passw0rd123 administrator admin12345 admin123456 letmein123 welcome123
    welcome1234 iloveyou12 changeme123 changemenow pabal12345 pabalpabal test123456 testtest12 qlalfqjsgh qlalfqjsgh1
    비밀번호123456 비밀번호1234567890
"""
_COMMONPLACE = frozenset(_COMMON_ONES.split())
# OWASP's first choice for argon2id: as strong as the library's four lanes, and one sign-in takes one core for 50 ms.
_HASH = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=46 * 1024, parallelism=1),))
_THREADS = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pabal-password")


@dataclass(frozen=True, slots=True)
class Checked:
    """`renewed` is the hash to store instead, when the parameters have changed since."""

    is_right: bool
    renewed: str | None = None


def check_policy(password: str, *, login: str) -> None:
    said = _same_form(password)
    plain = said.casefold()
    if not SHORTEST <= len(said) <= LONGEST:
        raise WeakPassword(f"{len(said)} characters")
    if plain in (login, login.partition("@")[0]):
        raise WeakPassword("the login name")
    if plain in _COMMONPLACE or len(set(plain)) < 4:
        raise WeakPassword("commonplace")


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _hash, password)


async def check_password(password: str, stored: str | None) -> Checked:
    """`stored` None takes as long as a wrong password: how long it took tells nobody which logins exist."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _check, password, stored)


def _hash(password: str) -> str:
    return _HASH.hash(_as_bytes(password))


def _check(password: str, stored: str | None) -> Checked:
    nobodys = _nobodys()
    is_right, renewed = _HASH.verify_and_update(_as_bytes(password), stored or nobodys)
    return Checked(is_right, renewed) if stored and is_right else Checked(is_right=False)


@cache
def _nobodys() -> str:
    return _HASH.hash(secrets.token_urlsafe(32))


def _as_bytes(password: str) -> bytes:
    # A browser may send half of a pair; it is a wrong password, not a fault.
    return _same_form(password).encode("utf-8", "surrogatepass")


def _same_form(password: str) -> str:
    """Some systems type 한 as one character, some as three. Far more than may be stored is cut before it costs time."""
    return unicodedata.normalize("NFC", password[: 5 * LONGEST])
