"""A CSV may be cut anywhere between pieces; a table is read as it lies; what is neither is refused with its place."""

from collections.abc import AsyncIterator

import pytest

from pabal.apps.adgroups.errors import BadLegacyFile, NoLegacyTable
from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import FromTable
from pabal.apps.adgroups.legacy.reading import read_csv
from pabal.platform.tenants import HeadOfficeOnly
from tests.apps.adgroups.actions.world import boss
from tests.apps.adgroups.legacy.olds import Mover

TEXT = (
    '\ufeffID,Name,campaign,start_at,end_at,extra\r\n1,"봄, ""첫""\n줄",c,a,b,x\r\n\r\n2,\u2028가을,c,a,b\r\n3,끝,c,a,b'
)


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
