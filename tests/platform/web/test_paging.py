"""Pages, cursors, totals and CSV."""

import csv
import io

import pytest

from pabal.engine import listing, queue
from pabal.engine.queue import NewJob
from pabal.platform import audit
from pabal.platform.actor import ENGINE
from pabal.platform.web.paging import BadCursor, read_cursor, show_cursor, write_csv
from tests.support.web import Web


async def add_jobs(web: Web, count: int) -> None:
    async with web.db.transaction() as tx:
        await queue.enqueue_many(tx, [NewJob("demo.boil", {"n": n}) for n in range(count)])


async def test_pages_follow_each_other_without_gap_or_double(web: Web):
    await add_jobs(web, 25)
    admin = await web.as_()

    seen, path = [], "/api/v1/jobs?limit=10"
    while path:
        answer = await admin.get(path)
        seen += [one["id"] for one in answer.json()["items"]]
        assert answer.json()["has_more"] == ("Link" in answer.headers)
        path = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")

    assert len(seen) == len(set(seen)) == 25
    assert seen == sorted(seen, reverse=True)


async def test_the_link_keeps_the_filters(web: Web):
    await add_jobs(web, 3)

    answer = await (await web.as_()).get("/api/v1/jobs?limit=1&kind=demo.boil&state=ready,delayed")

    assert answer.headers["Link"].endswith('; rel="next"')
    assert "kind=demo.boil" in answer.headers["Link"]
    assert "state=ready%2Cdelayed" in answer.headers["Link"]


async def test_a_total_comes_only_when_asked_for(web: Web):
    await add_jobs(web, 3)
    admin = await web.as_()

    bare, counted = await admin.get("/api/v1/jobs"), await admin.get("/api/v1/jobs?count=true&limit=1")

    assert "total" not in bare.json()
    assert counted.json()["total"] == 3


async def test_counting_ends_at_ten_thousand(web: Web):
    await add_jobs(web, 10_005)

    answer = await (await web.as_()).get("/api/v1/jobs?count=true&limit=1")

    assert answer.json()["total"] == {"at_least": 10_001}


async def test_a_limit_out_of_bounds_is_refused(web: Web):
    admin = await web.as_()

    answers = [await admin.get(f"/api/v1/jobs?limit={limit}") for limit in ("0", "201", "x", "-1")]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "bad_parameter")}


async def test_a_cursor_from_elsewhere_is_refused(web: Web):
    admin = await web.as_()
    foreign = [
        "x",
        "é",
        "%00",
        show_cursor("audit", "1"),
        show_cursor("jobs", "job_zzzzzzzzzzzzz"),
        show_cursor("jobs", "1"),
    ]

    answers = [await admin.get("/api/v1/jobs", params={"cursor": cursor}) for cursor in foreign]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "bad_cursor")}


async def test_a_moment_out_of_reach_in_a_cursor_is_refused(web: Web):
    """Made by hand: the database's driver cannot turn it into UTC."""
    admin = await web.as_()
    crafted = show_cursor("occurrences", listing.paging.show_cursor("0001-01-01T00:00:00+09:00", 1))

    answer = await admin.get("/api/v1/occurrences", params={"cursor": crafted})

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


def test_a_cursor_says_which_list_it_is_of():
    assert read_cursor("jobs", show_cursor("jobs", "here")) == "here"
    assert read_cursor("jobs", None) is None
    with pytest.raises(BadCursor):
        read_cursor("facts", show_cursor("jobs", "here"))


async def test_a_list_comes_as_csv_in_one_piece_however_long(web: Web):
    async with web.db.transaction() as tx:
        for number in range(1_203):
            await audit.record(tx, ENGINE, "test.do", f"thing:{number}", after={"said": "=1+1"})
    admin = await web.as_(Accept="text/csv")

    answer = await admin.get("/api/v1/audit?action=test.*")

    assert answer.headers["Content-Type"].startswith("text/csv")
    assert 'filename="audit.csv"' in answer.headers["Content-Disposition"]
    assert answer.content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[0][:4] == ["id", "at", "actor", "actor_label"]
    assert [row[7] for row in rows[1:]] == [f"thing:{number}" for number in reversed(range(1_203))]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=SUM(A1)", "'=SUM(A1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        ("  =1", "'  =1"),
        ("plain", "plain"),
        (-1, "-1"),
        (None, ""),
        ({"a": "가"}, '{"a": "가"}'),
        ('say "hi",\nthen', 'say "hi",\nthen'),
    ],
)
def test_a_cell_is_never_a_formula(value: object, cell: str):
    [[read]] = list(csv.reader(io.StringIO(write_csv([[value]]), newline=""))) or [[""]]

    assert read == cell


def test_lines_end_as_the_standard_says():
    assert write_csv([["a", "b,c"], ["d", None]]) == 'a,"b,c"\r\nd,\r\n'
