"""What ad servers read, over REST: how it stands, and the work that compares it or writes it anew."""

from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.store import Check
from tests.apps.adgroups.api.house import V1, House

PATH = f"{V1}/serving"


async def test_the_head_office_sees_how_it_stands_and_has_it_compared_or_written_anew(house: House):
    hq = await house.web.as_("hq")

    before = (await hq.get(PATH)).json()
    off = [await hq.post(f"{PATH}/{verb}") for verb in ("check", "rebuild")]
    async with house.web.db.transaction() as tx:
        await store.set_wanted(tx, True)
        await store.insert_check(tx, Check(0, tx.now, 5, "engine", 3, {"missing": 2}, 1, None))
    asked = [await hq.post(f"{PATH}/{verb}") for verb in ("check", "rebuild", "rebuild")]
    jobs = [(await hq.get(one.headers["Location"])).json() for one in asked]

    assert (before["is_wanted"], before["running"], before["checks"]) == (False, 0, [])
    assert [(one.status_code, one.json()["code"]) for one in off] == [(409, "serving_off")] * 2
    assert [one.status_code for one in asked] == [202, 202, 202]
    assert [job["kind"] for job in jobs] == [
        *("adgroups.check_serving", "adgroups.rebuild_serving", "adgroups.rebuild_serving")
    ]
    # asked again while it has not ended, it is the same one
    assert asked[1].json()["job"] == asked[2].json()["job"]
    assert [one.json()["is_new"] for one in asked] == [True, True, False]
    after = (await hq.get(PATH)).json()
    assert after["is_wanted"] is True
    assert [(one["compared"], one["differences"], one["remaining"]) for one in after["checks"]] == [
        (3, {"missing": 2}, 1)
    ]
