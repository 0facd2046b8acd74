"""Passwords that cost nothing: the house's own take 50 ms each, on purpose, and tests sign in by the hundred."""

from collections.abc import Iterator

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from pabal.platform.auth import passwords

OF_THE_HOUSE = passwords._HASH
CHEAP = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=16, parallelism=1),))


@pytest.fixture(autouse=True, scope="session")
def _cheap_passwords() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASH", CHEAP)
        yield


@pytest.fixture
def passwords_of_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASH", OF_THE_HOUSE)
