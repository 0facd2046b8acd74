"""The film with ranges and its pictures: only the render's own file, only for those who may see the render."""

import pytest

from tests.support.studio import Studio, draw_film
from tests.support.web import Web

V1 = "/api/v1/render"


async def test_a_player_seeks_in_the_film(web: Web, studio: Studio) -> None:
    content = bytes(range(256)) * 800
    job = await studio.complete(await studio.ask(), film=content)
    client, path = await web.as_("haeundae"), f"{V1}/jobs/{job.id}/video"
    whole = await client.get(path)
    part = await client.get(path, headers={"Range": "bytes=1000-1999"})
    end = await client.get(path, headers={"Range": "bytes=-100"})
    beyond = await client.get(path, headers={"Range": "bytes=999999999-"})
    other = await client.get(path, headers={"Range": "bytes=0-9", "If-Range": '"another"'})
    known = await client.get(path, headers={"If-None-Match": whole.headers["ETag"]})

    assert (whole.status_code, whole.content, whole.headers["Accept-Ranges"]) == (200, content, "bytes")
    assert (part.status_code, part.content) == (206, content[1000:2000])
    assert part.headers["Content-Range"] == f"bytes 1000-1999/{len(content)}"
    assert (end.status_code, end.content) == (206, content[-100:])
    assert beyond.status_code == 416
    assert (other.status_code, len(other.content)) == (200, len(content))
    assert known.status_code == 304


async def test_pictures_are_cut_from_the_film(web: Web, studio: Studio) -> None:
    job = await studio.complete(await studio.ask(), film=draw_film())
    client = await web.as_("haeundae")
    for which in ("first", "middle", "last", "sheet"):
        picture = await client.get(f"{V1}/jobs/{job.id}/pictures/{which}")

        assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/jpeg"), picture.text
        assert picture.content.startswith(b"\xff\xd8")
    loop = await client.get(f"{V1}/jobs/{job.id}/pictures/loop")
    assert (loop.status_code, loop.headers["Content-Type"]) == (200, "image/webp")
    assert (loop.content[:4], loop.content[8:12]) == (b"RIFF", b"WEBP")


async def test_no_path_but_the_renders_own_below_the_nas_is_opened(web: Web, studio: Studio) -> None:
    job = await studio.complete(await studio.ask())
    secret = studio.folder / "secret.mp4"
    secret.write_bytes(b"not yours")
    outside = [str(secret), str(studio.folder / "nas" / "output" / ".." / ".." / "secret.mp4"), "/etc/passwd"]
    client = await web.as_("haeundae")
    for path in outside:
        async with web.db.transaction() as tx:
            await tx.script(f"update rendering.render set output_file_path = '{path}' where id = {job.id}")
        answer = await client.get(f"{V1}/jobs/{job.id}/video")
        assert answer.status_code in (404, 422), path
        assert b"not yours" not in answer.content


@pytest.mark.req("B-118")
async def test_a_film_that_is_gone_is_not_found_with_its_reason(web: Web, studio: Studio) -> None:
    job = await studio.complete(await studio.ask())
    for film in (studio.folder / "nas" / "output").rglob("*.mp4"):
        film.unlink()

    answer = await (await web.as_("haeundae")).get(f"{V1}/jobs/{job.id}/video")

    assert (answer.status_code, answer.json()["code"]) == (404, "rendered_file_missing")
    assert "mounted and has room" in answer.json()["title"]


@pytest.mark.req("B-118")
async def test_a_nas_that_is_not_mounted_is_not_a_film_that_is_gone(web: Web, studio: Studio) -> None:
    job = await studio.complete(await studio.ask())
    (studio.folder / "nas" / "output").rename(studio.folder / "elsewhere")

    answer = await (await web.as_("haeundae")).get(f"{V1}/jobs/{job.id}/video")

    assert (answer.status_code, answer.json()["code"]) == (503, "nas_unavailable")
    assert "mounted" in answer.json()["title"]


async def test_a_render_without_a_film_has_none(web: Web, studio: Studio) -> None:
    job = await studio.ask()
    client = await web.as_("haeundae")

    assert (await client.get(f"{V1}/jobs/{job.id}/video")).json()["code"] == "render_film_not_found"
    assert (await client.get(f"{V1}/jobs/{job.id}/pictures/first")).status_code == 404
