import asyncio
import threading
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pwdlib.hashers.argon2 import Argon2Hasher

from pabal.platform.auth.model import WeakPassword
from pabal.platform.auth.passwords import check_password, check_policy, hash_password

PASSWORD = "a horse and 3 carrots"
pytestmark = pytest.mark.usefixtures("passwords_of_the_house")


@pytest.mark.parametrize(
    "password",
    [
        "",
        "nine char",
        "x" * 201,
        "Kim.Minsoo@x.example",
        "kim.minsoo",
        "Password123",
        "1234567890",
        "1111111111",
        "121212121212",
    ],
)
def test_a_password_that_is_short_long_commonplace_or_the_login_is_refused(password: str):
    with pytest.raises(WeakPassword):
        check_policy(password, login="kim.minsoo@x.example")


@pytest.mark.parametrize("password", [PASSWORD, "ten chars!", "abcd" * 50, "말 한 마리와 당근 셋"])
def test_a_password_of_10_to_200_characters_is_fine(password: str):
    check_policy(password, login="kim")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])  # the policy does not hash
@given(st.text(max_size=9))
def test_nothing_under_ten_characters_is_a_password(password: str):
    with pytest.raises(WeakPassword):
        check_policy(password, login="kim")


async def test_the_right_password_is_right_and_no_other():
    stored = await hash_password(PASSWORD)

    right, wrong = await check_password(PASSWORD, stored), await check_password(PASSWORD + " ", stored)

    assert right.is_right
    assert right.renewed is None
    assert not wrong.is_right
    assert PASSWORD not in stored
    assert stored.startswith("$argon2id$v=19$m=47104,t=1,p=1$")


async def test_the_same_letters_are_the_same_password_however_a_system_types_them():
    typed = "말 한 마리와 당근 셋"

    stored = await hash_password(unicodedata.normalize("NFD", typed))

    assert (await check_password(unicodedata.normalize("NFC", typed), stored)).is_right


async def test_a_hash_of_weaker_parameters_is_renewed_when_it_is_right():
    stored = Argon2Hasher(time_cost=1, memory_cost=8192, parallelism=1).hash(PASSWORD)

    right, wrong = await check_password(PASSWORD, stored), await check_password("something else", stored)

    assert right.is_right
    assert right.renewed is not None
    assert (await check_password(PASSWORD, right.renewed)).is_right
    assert wrong.renewed is None


@pytest.mark.parametrize("odd", ["", "\ud800 half of a pair", "nul \x00 inside", "x" * 100_000])
async def test_odd_texts_are_wrong_passwords_and_not_faults(odd: str):
    assert not (await check_password(odd, None)).is_right


async def test_however_many_come_at_once_two_are_hashed_at_a_time():
    await asyncio.gather(*(check_password(PASSWORD, None) for _ in range(4)))

    assert len([thread for thread in threading.enumerate() if thread.name.startswith("pabal-password")]) == 2
