from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.auth import tries
from pabal.platform.auth.tries import Refused, Slowing, Taken

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SLOWING = Slowing()
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def ago(*seconds: int) -> list[datetime]:
    return [NOW - second * SECOND for second in seconds]


@pytest.mark.parametrize(
    ("count", "seconds"), [(4, None), (5, 2), (6, 4), (7, 8), (10, 64), (12, 256), (13, 300), (500, 300)]
)
def test_after_five_failures_each_further_one_doubles_the_wait_up_to_five_minutes(count: int, seconds: int | None):
    until = SLOWING.allowed_at([NOW] * count, free=5, now=NOW)

    assert until == (None if seconds is None else NOW + seconds * SECOND)


def test_what_is_older_than_the_window_does_not_count():
    assert SLOWING.allowed_at(ago(901, 902, 903, 904, 1), free=5, now=NOW) is None
    assert SLOWING.allowed_at(ago(899, 898, 897, 896, 1), free=5, now=NOW) == NOW + SECOND


@given(st.lists(st.integers(0, 3600), max_size=60))
def test_nobody_ever_waits_longer_than_five_minutes(before: list[int]):
    until = SLOWING.allowed_at(ago(*before), free=5, now=NOW)

    assert until is None or NOW < until <= NOW + 5 * MINUTE


async def take(
    db: Database, login: str = "kim", address: str = "203.0.113.7", *, device: str | None = None
) -> Taken | Refused:
    async with db.transaction() as tx:
        return await tries.take(tx, login, address, SLOWING, device=device)


async def test_a_login_is_slowed_at_an_address_and_not_yet_elsewhere(db: Database):
    first = [await take(db) for _ in range(5)]

    sixth = await take(db)

    assert [one.is_slowed for one in first if isinstance(one, Taken)] == [False] * 4 + [True]
    assert isinstance(sixth, Refused)
    assert isinstance(await take(db, address="198.51.100.1"), Taken)


async def test_a_login_is_slowed_wherever_the_guesses_come_from(db: Database):
    for n in range(20):
        assert isinstance(await take(db, address=f"203.0.113.{n}"), Taken)

    assert isinstance(await take(db, address="198.51.100.1"), Refused)
    assert isinstance(await take(db, address="198.51.100.1", device="known"), Taken)
    assert isinstance(await take(db, login="lee"), Taken)


async def test_an_office_behind_one_address_does_not_wait_for_those_who_mistype(db: Database):
    for colleague in range(19):
        for _ in range(5):
            assert isinstance(await take(db, login=f"colleague{colleague}"), Taken)
        assert isinstance(await take(db, login=f"colleague{colleague}"), Refused)

    assert isinstance(await take(db, login="another"), Taken)


async def test_an_address_is_slowed_whichever_logins_it_guesses(db: Database):
    await fill(db, [f"user{n}" for n in range(100)])

    assert isinstance(await take(db, login="another"), Refused)
    assert isinstance(await take(db, login="another", device="known"), Taken)
    assert isinstance(await take(db, login="another", address="198.51.100.1"), Taken)


async def fill(db: Database, logins: list[str]) -> None:
    """One failure each, at the usual address."""
    async with db.transaction() as tx:
        for login in logins:
            assert isinstance(await tries.take(tx, login, "203.0.113.7", SLOWING), Taken)


async def test_addresses_of_one_ipv6_network_are_one(db: Database):
    for n in range(5):
        assert isinstance(await take(db, address=f"2001:db8:1:2::{n:x}"), Taken)

    assert isinstance(await take(db, address="2001:db8:1:2:ffff::1"), Refused)
    assert isinstance(await take(db, address="2001:db8:1:3::1"), Taken)


async def test_a_known_device_is_slowed_by_itself(db: Database):
    for _ in range(5):
        assert isinstance(await take(db, device="known"), Taken)

    assert isinstance(await take(db, device="known"), Refused)
    assert isinstance(await take(db), Taken)
    assert isinstance(await take(db, login="lee", device="known"), Taken)


async def test_a_refused_try_does_not_count(db: Database):
    for _ in range(5):
        await take(db)
    first = await take(db)
    for _ in range(10):
        await take(db)

    last = await take(db)

    assert first == last


async def test_after_the_wait_one_more_try_is_free_and_the_next_waits_longer(db: Database):
    for _ in range(5):
        await take(db)
    await clock.advance(db, timedelta(seconds=3))

    sixth = await take(db)
    seventh = await take(db)

    assert isinstance(sixth, Taken)
    assert isinstance(seventh, Refused)
    assert seventh.until == sixth.at + 4 * SECOND


async def test_being_right_frees_the_login_but_gives_the_address_only_its_own_tries_back(db: Database):
    await fill(db, [f"user{n}" for n in range(97)])
    await take(db, login="mine")
    await take(db, login="mine")
    mine = await take(db, login="mine")
    assert isinstance(mine, Taken)

    async with db.transaction() as tx:
        await tries.forgive(tx, mine)

    for n in range(3):
        assert isinstance(await take(db, login=f"other{n}"), Taken)
    assert isinstance(await take(db, login="one more"), Refused)


async def test_tries_are_forgotten_after_their_window(db: Database):
    await take(db)
    await clock.advance(db, 16 * MINUTE)
    await take(db, login="lee", address="198.51.100.1")

    async with db.transaction() as tx:
        forgotten = await tries.forget(tx, SLOWING)

    assert forgotten == 3
