"""Images for messages: checked by decoding, within messaging's own limits, seen by who sees a message with them."""

import gzip
import io
import json

import pytest
from PIL import Image

from pabal.apps.messaging import settings
from pabal.platform.actor import ENGINE, Role
from pabal.platform.settings import change
from tests.apps.messaging.api.house import V1, House, build, v1_body
from tests.apps.messaging.archived import put_away

PATH = f"{V1}/images"


@pytest.mark.req("A-100", "A-101", "A-150")
async def test_only_pictures_that_can_be_sent_and_are_small_enough_are_taken(house: House):
    operator = await house.web.as_("haeundae", Role.OPERATOR, scopes=("messaging:write",))
    async with house.web.db.transaction() as tx:
        await change(tx, ENGINE, settings.MAX_IMAGE_BYTES, 1)

    async def post(content: bytes, name: str = "a.png") -> tuple[int, str]:
        answer = await operator.post(PATH, files={"file": (name, content)})
        return answer.status_code, answer.json().get("code", answer.json().get("media_type"))

    taken = [await post(drawn(kind)) for kind in ("PNG", "JPEG", "GIF")]
    refused = [
        await post(drawn("WEBP"), "a.jpg"),
        await post(b"<svg onload=alert(1)>", "a.svg"),
        await post(drawn("PNG")[:-30]),
        await post(drawn("BMP", (1000, 500))),
    ]
    none = await operator.post(PATH, files={"file": ("", b"")})

    assert settings.MAX_IMAGE_BYTES.default == 10
    assert taken == [(201, "image/png"), (201, "image/jpeg"), (201, "image/gif")]
    assert refused == [
        (422, "format_not_accepted"),
        (422, "not_a_picture"),
        (422, "not_a_picture"),
        (422, "upload_too_large"),
    ]
    assert (none.status_code, none.json()["code"]) == (422, "no_picture")


async def test_whoever_sees_a_message_sees_its_images(house: House):
    above, branch = await house.web.as_("busan", Role.OPERATOR), await house.web.as_("haeundae", Role.VIEWER)
    stranger = await house.web.as_("gangnam")
    made = await above.post(PATH, files={"file": ("위에서.png", drawn("PNG"))})
    path = made.headers["Location"]
    unseen = await branch.get(path)
    await above.post(f"{V1}/schedules", json=await v1_body(house, images_1=[made.json()["id"]]))

    seen = [await branch.get(f"{path}{rest}") for rest in ("", "/content", "/thumbnail")]
    again = await branch.get(f"{path}/content", headers={"If-None-Match": seen[1].headers["ETag"]})

    assert (made.json()["name"], unseen.status_code) == ("위에서.png", 404)
    assert [one.headers["Content-Type"] for one in seen] == ["application/json", "image/png", "image/webp"]
    assert (seen[1].content, again.status_code) == (drawn("PNG"), 304)
    assert [(await stranger.get(f"{path}{rest}")).status_code for rest in ("", "/content", "/thumbnail")] == [404] * 3


def drawn(kind: str, size: tuple[int, int] = (40, 30)) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size, (200, 80, 160)).save(target, kind)
    return target.getvalue()


@pytest.fixture
async def months(house: House) -> list[str]:
    """Two of them, with a send of each of two branches."""
    other = await build(house.web, "gangnam", bot="seoul1", channel=18200091)
    admin = await house.web.as_("hq")
    answers = [
        await admin.post(f"{V1}/schedules", json=await v1_body(each, title=title))
        for each, title in ((house, "해운대 예약"), (other, "강남 예약"))
    ]
    return await put_away(house.web.app.services, *(one.json()["id"] for one in answers), months=2)


@pytest.mark.req("A-177")
async def test_a_month_that_was_put_away_is_listed_and_downloaded_whole(house: House, months: list[str]) -> None:
    admin = await house.web.as_("hq")

    listed = (await admin.get(f"{V1}/archives")).json()["items"]
    answer = await admin.get(listed[0]["link"])
    again = await admin.get(listed[0]["link"], headers={"If-None-Match": answer.headers["ETag"]})

    assert [(one["month"], one["deliveries"]) for one in listed] == [(month, 2) for month in months]
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/gzip"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="deliveries-{months[0]}.jsonl.gz"'
    assert len(answer.content) == listed[0]["size"] == int(answer.headers["Content-Length"])
    rows = [json.loads(line) for line in gzip.decompress(answer.content).splitlines()]
    assert {row["target_room_id"] for row in rows} == {"18200001", "18200091"}, "all branches' are in it"
    assert {row["status"] for row in rows} == {"success"}
    assert {row["scheduled_at"][:7] for row in rows} == {months[0]}
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.req("A-106", "A-177")
async def test_only_an_administrator_of_the_head_office_has_them(house: House, months: list[str]) -> None:
    web, paths = house.web, (f"{V1}/archives", f"{V1}/archives/{months[0]}", f"{V1}/archives/1999-01")
    others = [
        await web.as_("haeundae"),
        await web.as_("hq", Role.OPERATOR),
        await web.as_("hq", scopes=("messaging:write", "files:manage")),
    ]

    refused = [[(await one.get(path)).json()["code"] for path in paths] for one in others]

    assert refused == [["head_office_only"] * 3, ["not_allowed"] * 3, ["not_allowed"] * 3]


async def test_a_month_without_an_archive_is_named(house: House) -> None:
    admin = await house.web.as_("hq")

    none = await admin.get(f"{V1}/archives")
    unknown, wrong = await admin.get(f"{V1}/archives/2026-01"), await admin.get(f"{V1}/archives/2026-13")

    assert none.json()["items"] == []
    assert (unknown.status_code, unknown.json()["code"]) == (404, "archive_not_found")
    assert wrong.status_code == 404
