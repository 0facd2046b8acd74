"""The broker through the API: how it stands and what came in, for the head office."""

from pabal.platform.broker import store
from pabal.platform.broker.incoming import SQL
from tests.support.web import Web


async def test_the_head_office_sees_how_the_broker_stands_and_what_came_in(web: Web):
    async with web.db.transaction() as tx:
        await store.note_line(tx, "server-1:7", "in", error=None, pending=2)
        await store.note_line(tx, "server-1:7", "out", error="ConnectionError: refused")
        for number in (1, 2, 3):
            await tx.value(SQL.insert_event, id=f"e{number}", name="x", subject="adg_1", data={"n": number}, now=tx.now)
        ended = {"result": "refused", "code": "guard_refused", "reason": "no", "report": {"state": "READY"}}
        await tx.run(SQL.end_event, id="e2", **ended, now=tx.now)
        await tx.run(SQL.count_duplicate, id="e3")
    office, path = await web.as_(), "/api/v1/broker/events"

    stands = (await office.get("/api/v1/broker")).json()
    first = (await office.get(path, params={"limit": 2})).json()
    rest = (await office.get(path, params={"limit": 2, "cursor": first["next_cursor"]})).json()
    refused = (await office.get(path, params={"result": "refused", "subject": "adg_1"})).json()["items"]
    again = (await office.get(path, params={"result": "duplicate"})).json()["items"]
    odd = await office.get(path, params={"result": "odd"})

    assert (stands["is_connected"], stands["pending"], stands["lag_seconds"]) == (False, 2, None)
    assert [(line["side"], line["error"]) for line in stands["lines"]] == [
        ("in", None),
        ("out", "ConnectionError: refused"),
    ]
    assert [one["id"] for one in (*first["items"], *rest["items"])] == ["e3", "e2", "e1"]
    assert [(one["code"], one["report"]) for one in refused] == [("guard_refused", {"state": "READY"})]
    assert [(one["id"], one["duplicates"]) for one in again] == [("e3", 1)]
    assert odd.status_code == 400
    branch = await web.as_("gangnam")
    assert [(await branch.get(one)).status_code for one in ("/api/v1/broker", path)] == [403, 403]
