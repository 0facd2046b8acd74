"""Images for messages: checked by decoding, within messaging's own limits, seen by who sees a message with them."""

import io

import pytest
from PIL import Image

from pabal.apps.messaging import settings
from pabal.platform.actor import ENGINE, Role
from pabal.platform.settings import change
from tests.apps.messaging.api.house import V1, House, v1_body

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
