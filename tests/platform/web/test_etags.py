"""What was read has a name, and only what was read is changed."""

import asyncio

from tests.support.web import Web

KEEP = "/api/v1/settings/notifications.keep"


async def test_what_one_has_is_not_sent_again(web: Web):
    admin = await web.as_()
    tag = (await admin.get(KEEP)).headers["ETag"]

    same = await admin.get(KEEP, headers={"If-None-Match": f'"other", W/{tag}'})
    other = await admin.get(KEEP, headers={"If-None-Match": '"v99"'})

    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", tag)
    assert other.status_code == 200


async def test_a_change_gives_a_new_name(web: Web):
    admin = await web.as_()
    before = await admin.get(KEEP)

    changed = await admin.put(KEEP, json={"value": "30d"}, headers={"If-Match": before.headers["ETag"]})
    late = await admin.put(KEEP, json={"value": "40d"}, headers={"If-Match": before.headers["ETag"]})

    assert (changed.status_code, changed.json()["value"]) == (200, "30d")
    assert changed.headers["ETag"] != before.headers["ETag"]
    assert (late.status_code, late.json()["code"]) == (412, "version_mismatch")
    assert (await admin.get(KEEP)).json()["value"] == "30d"


async def test_of_two_who_read_the_same_one_wins(web: Web):
    admin = await web.as_()
    tag = (await admin.get(KEEP)).headers["ETag"]

    answers = await asyncio.gather(
        *(admin.put(KEEP, json={"value": f"{days}d"}, headers={"If-Match": tag}) for days in range(10, 20))
    )

    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 9]


async def test_without_a_version_number_the_content_names_it(web: Web):
    admin = await web.as_()
    path = f"/api/v1/units/{web.tree.gangnam.id}"
    tag = (await admin.get(path)).headers["ETag"]

    first = await admin.patch(path, json={"name": "새 강남점"}, headers={"If-Match": tag})
    second = await admin.patch(path, json={"name": "더 새 강남점"}, headers={"If-Match": tag})
    anyhow = await admin.patch(path, json={"name": "그냥 강남점"}, headers={"If-Match": "*"})
    weak = await admin.patch(path, json={"name": "x"}, headers={"If-Match": f"W/{anyhow.headers['ETag']}"})

    assert [one.status_code for one in (first, second, anyhow, weak)] == [200, 412, 200, 412]
    assert (await admin.get(path)).json()["name"] == "그냥 강남점"


async def test_removing_honours_it_too(web: Web):
    admin = await web.as_()
    path = f"/api/v1/units/{web.tree.gangnam.id}"

    answer = await admin.delete(path, headers={"If-Match": '"stale"'})

    assert answer.status_code == 412
    assert (await admin.get(path)).status_code == 200
