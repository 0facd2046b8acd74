"""Old rows: read from a file or a table whatever its slices, mapped to what they are here, doubts noted."""

from collections.abc import AsyncIterator

import pytest

from pabal.apps.adgroups.errors import BadLegacyFile, NoLegacyTable
from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import FromTable
from pabal.apps.adgroups.legacy.old_rows import plan_row, read_csv
from pabal.platform.tenants import HeadOfficeOnly
from tests.apps.adgroups.actions.world import DAY, START, boss
from tests.apps.adgroups.legacy.olds import (
    BEGUN,
    BY_DAY,
    BY_NIGHT,
    CONFIRMED,
    OVER,
    SEOUL,
    TO_COME,
    Mover,
    Old,
    an_old,
)

READY = {"ready_at": START - DAY}
TEXT = (
    '\ufeffID,Name,campaign,start_at,end_at,extra\r\n1,"봄, ""첫""\n줄",c,a,b,x\r\n\r\n2,\u2028가을,c,a,b\r\n3,끝,c,a,b'
)


@pytest.mark.req("E-85")
@pytest.mark.parametrize(
    ("old", "calculated", "state", "marks"),
    [
        (an_old(1, TO_COME), "DRAFT", "draft", []),
        (an_old(2, TO_COME, READY), "READY", "ready", []),
        (an_old(3, TO_COME, CONFIRMED), "READY_CONFIRM", "approved", []),
        (an_old(4, CONFIRMED), "RUNNING", "running", []),
        (an_old(5, CONFIRMED, BY_NIGHT), "RUNNING", "running", []),
        (an_old(6, CONFIRMED, BY_DAY), "RUNNING", "pending", []),
        (an_old(7), "RUNNING", "running", ["running_unconfirmed"]),
        (an_old(8, OVER, CONFIRMED), "EXPIRED", "expired", []),
        (an_old(9, CONFIRMED, end_at=START), "RUNNING", "expired", []),
        (an_old(10, CONFIRMED, deleted_at=START - DAY), "UNKNOWN", "deleted", []),
        (an_old(11, CONFIRMED, status="PENDING"), "RUNNING", "paused", ["was_paused"]),
        (an_old(12, CONFIRMED, TO_COME, status="pending"), "READY_CONFIRM", "paused", ["was_paused"]),
        (an_old(13, OVER, status="PENDING"), "EXPIRED", "expired", ["status_differs"]),
        (an_old(14, CONFIRMED, BY_DAY, status="RUNNING"), "RUNNING", "pending", []),
        (an_old(15, CONFIRMED, status="DRAFT"), "RUNNING", "running", ["status_differs"]),
        (an_old(16, CONFIRMED, creatives="https://a.example/1|3"), "RUNNING", "running", ["creatives_not_listed"]),
        (an_old(17, CONFIRMED, inventory="a|b c"), "RUNNING", "running", ["bad_inventory"]),
        (an_old(18, CONFIRMED, name="이" * 201), "RUNNING", "running", ["name_cut"]),
    ],
)
def test_an_old_row_has_its_state_here(old: Old, calculated: str, state: str, marks: list[str]):
    planned = plan_row(1, shown(old), START)

    assert (planned.calculated, planned.state, planned.marks, planned.refusal) == (calculated, state, marks, None)


@pytest.mark.parametrize(
    ("old", "refusal"),
    [
        (an_old("", id=" "), "no_id"),
        (an_old(1, campaign=None), "no_campaign"),
        (an_old(1, end_at=""), "no_dates"),
        (an_old(1, start_at=None), "no_dates"),
        (an_old(1, start_at=START, end_at=START), "end_before_start"),
        (an_old(1, start_at="last week"), "bad_moment"),
        (an_old(1, end_at="9999-12-31 23:59:59", zone="America/New_York"), "bad_moment"),
        (an_old(1, daily_start_time="25:00", daily_end_time="03:00"), "bad_hours"),
        (an_old(1, zone="Seoul"), "bad_zone"),
        (an_old(1, zone="Seoul", start_at="2035-01-01T00:00:00Z", end_at="2036-01-01T00:00:00Z"), "bad_zone"),
    ],
)
def test_what_cannot_be_kept_says_why(old: Old, refusal: str):
    planned = plan_row(1, shown(old), START)

    assert (planned.refusal, planned.state, planned.old) == (refusal, None, None)


def test_moments_are_of_the_rows_zone_unless_they_say_otherwise():
    """02:30 does not exist in Berlin on that night, and twice on the other: as the engine's recurrences have it."""
    times = [
        ("2035-06-04 08:00:00", "Asia/Seoul", "2035-06-03T23:00:00+00:00"),
        ("2035-06-04T08:00:00+01:00", "Asia/Seoul", "2035-06-04T07:00:00+00:00"),
        ("2035-03-25 02:30:00", "Europe/Berlin", "2035-03-25T01:00:00+00:00"),
        ("2035-10-28 02:30:00", "Europe/Berlin", "2035-10-28T00:30:00+00:00"),
    ]

    for text, zone, instant in times:
        planned = plan_row(1, an_old(1, end_at="2036-01-01", start_at=text, zone=zone), START)
        assert planned.old is not None, text
        assert planned.old.dates.start_at is not None
        assert planned.old.dates.start_at.isoformat() == instant


def test_hours_of_one_bound_reach_to_midnight():
    for start, end, spans in [("09:00", None, ["09:00", "00:00"]), (None, "24:00", ["00:00", "00:00"])]:
        planned = plan_row(1, shown(an_old(1, BEGUN, daily_start_time=start, daily_end_time=end)), START)

        assert planned.old is not None
        assert f'"mon": [["{spans[0]}", "{spans[1]}"]]' in str(planned.old.dayparts)


def shown(old: Old) -> dict[str, object]:
    return {
        name: f"{value + SEOUL:%Y-%m-%d %H:%M:%S}" if hasattr(value, "hour") else value for name, value in old.items()
    }


async def pieces(content: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(content), size):
        yield content[at : at + size]


async def test_a_csv_is_the_same_however_it_is_cut():
    read = [
        [row async for part in read_csv(pieces(TEXT.encode(), size)) for row in part] for size in (1, 2, 3, 7, 50, 1000)
    ]

    assert [row["id"] for row in read[0]] == ["1", "2", "3"]
    assert [row["name"] for row in read[0]] == ['봄, "첫"\n줄', "\u2028가을", "끝"]
    assert all(one == read[0] for one in read)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", "empty"),
        (b"id,name\n1,2\n", "line 1"),
        (b"id,campaign,start_at,end_at,id\n", "twice"),
        (b"id,campaign,start_at,end_at\n1,2,3,4,5\n", "line 2"),
        (b'id,campaign,start_at,end_at\n1,2,3,"4\n', "line 2"),
        (b"id,campaign,start_at,end_at\n1,\xff\xfe,3,4\n", "UTF-8"),
    ],
)
async def test_what_is_no_csv_of_ours_is_refused_with_its_place(content: bytes, place: str):
    with pytest.raises(BadLegacyFile, match=place):
        [row async for row in read_csv(pieces(content, 1000))]


async def test_a_table_is_read_as_a_csv_is(mover: Mover):
    world = mover.world
    house, unit_id = boss(world.tree.hq), world.tree.haeundae.id
    with pytest.raises(HeadOfficeOnly):  # the table holds everybody's
        await actions.dry_run(mover.services, world.admin, FromTable())
    with pytest.raises(NoLegacyTable):
        await actions.dry_run(mover.services, house, FromTable(), unit_id)
    async with world.db.transaction() as tx:
        await tx.script("create table legacy_ad_groups (id int, campaign text, end_at timestamp)")
    with pytest.raises(BadLegacyFile, match="start_at"):
        await actions.dry_run(mover.services, house, FromTable(), unit_id)
    async with world.db.transaction() as tx:
        await tx.script(
            "alter table legacy_ad_groups add start_at timestamptz, add daily_start_time time, add daily_end_time time;"
            " insert into legacy_ad_groups values"
            " (7, 'c', '2035-07-01 00:00', '2035-06-01T00:00+00', '18:00', '09:00'),"
            " (null, 'c', '2035-07-01 00:00', '2035-06-01T00:00+00', null, null)"
        )

    run = await actions.dry_run(mover.services, house, FromTable(), unit_id)

    [row, nameless] = await mover.rows(run)
    assert (row.legacy_id, row.name, row.state, row.calculated) == ("7", "7", "running", "RUNNING")
    assert row.end_at is not None
    assert row.end_at.isoformat() == "2035-06-30T15:00:00+00:00", "without an offset: the wall clock of Seoul"
    assert nameless.refusal == "no_id"
    assert (run.source, run.rows, run.states, run.refusals) == ("table", 2, {"running": 1}, {"no_id": 1})
