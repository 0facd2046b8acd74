"""Files through the API."""

from pabal.platform.actor import Role
from tests.platform.storage.samples import picture
from tests.support.web import Web


async def upload(
    web: Web, name: str = "그림 1.jpg", content: bytes | None = None, kind: str = "picture"
) -> dict[str, str]:
    operator = await web.as_("gangnam", Role.OPERATOR)
    answer = await operator.post(f"/api/v1/files?kind={kind}", files={"file": (name, content or picture())})
    assert answer.status_code == 201, answer.text
    made: dict[str, str] = answer.json()
    return made


async def test_a_picture_is_kept_as_it_came_with_a_thumbnail(web: Web):
    content = picture()
    made = await upload(web, content=content)
    viewer = await web.as_("gangnam", Role.VIEWER)

    whole = await viewer.get(f"/api/v1/files/{made['id']}/content")
    small = await viewer.get(f"/api/v1/files/{made['id']}/thumbnail")

    assert (whole.content, whole.headers["Content-Type"]) == (content, "image/jpeg")
    assert whole.headers["Content-Disposition"].startswith("inline; ")
    assert "filename*=UTF-8''%EA%B7%B8%EB%A6%BC%201.jpg" in whole.headers["Content-Disposition"]
    assert whole.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert small.headers["Content-Type"] == "image/webp"


async def test_what_is_no_picture_is_refused_as_one_and_else_only_downloaded(web: Web):
    operator = await web.as_("gangnam", Role.OPERATOR)
    page = b"<script>alert(1)</script>"

    refused = await operator.post("/api/v1/files", files={"file": ("a.jpg", page)})
    made = await upload(web, "a.html", page, kind="any")
    got = await operator.get(f"/api/v1/files/{made['id']}/content")

    assert (refused.status_code, refused.json()["code"]) == (422, "not_a_picture")
    assert got.headers["Content-Disposition"].startswith("attachment; ")
    assert got.headers["Content-Type"] == "application/octet-stream"


async def test_a_part_of_a_file_can_be_had(web: Web):
    made = await upload(web, "digits.txt", b"0123456789", kind="any")
    viewer = await web.as_("gangnam", Role.VIEWER)
    path = f"/api/v1/files/{made['id']}/content"

    parts = {
        one: await viewer.get(path, headers={"Range": one})
        for one in ("bytes=2-4", "bytes=7-", "bytes=-3", "bytes=0-99", "bytes=4-2", "lines=1-2", "bytes=10-")
    }

    assert {one: (answer.status_code, answer.content) for one, answer in parts.items() if answer.status_code < 400} == {
        "bytes=2-4": (206, b"234"),
        "bytes=7-": (206, b"789"),
        "bytes=-3": (206, b"789"),
        "bytes=0-99": (206, b"0123456789"),
        "bytes=4-2": (200, b"0123456789"),
        "lines=1-2": (200, b"0123456789"),
    }
    assert parts["bytes=2-4"].headers["Content-Range"] == "bytes 2-4/10"
    assert parts["bytes=10-"].status_code == 416


async def test_what_one_has_is_not_sent_again(web: Web):
    made = await upload(web, "a.txt", b"abc", kind="any")
    viewer = await web.as_("gangnam", Role.VIEWER)
    path = f"/api/v1/files/{made['id']}/content"
    tag = (await viewer.get(path)).headers["ETag"]

    again = await viewer.get(path, headers={"If-None-Match": tag})
    of_another = await viewer.get(path, headers={"Range": "bytes=0-0", "If-Range": '"other"'})

    assert (again.status_code, again.content) == (304, b"")
    assert (of_another.status_code, of_another.content) == (200, b"abc")


async def test_an_upload_without_a_file_says_so(web: Web):
    operator = await web.as_("gangnam", Role.OPERATOR)

    empty = await operator.post("/api/v1/files", files={"note": (None, b"x")})
    plain = await operator.post("/api/v1/files", json={})

    assert (empty.status_code, empty.json()["code"]) == (422, "no_file")
    assert (plain.status_code, plain.json()["code"]) == (415, "not_multipart")


async def test_a_removed_file_is_gone(web: Web):
    made = await upload(web, "a.txt", b"abc", kind="any")
    operator = await web.as_("gangnam", Role.OPERATOR)

    removed = await operator.delete(f"/api/v1/files/{made['id']}")

    assert removed.status_code == 204
    assert (await operator.get(f"/api/v1/files/{made['id']}/content")).status_code == 404
