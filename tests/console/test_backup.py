"""Backups in the console: what there is, taking one, who may."""

from pabal.engine import listing
from pabal.engine.listing.jobs import Wanted
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.web import Web


async def list_kinds(web: Web) -> list[str]:
    async with web.db.transaction() as tx:
        return [job.kind for job in (await listing.list_jobs(tx, Wanted(units=None))).items]


async def test_an_empty_house_says_when_the_first_backup_comes(web: Web) -> None:
    page = await read(await visitor(web), "/backup")

    assert "No backup yet." in page
    assert "03:30 KST" in page
    assert "14" in page


async def test_a_backup_is_asked_for_once_and_leads_to_its_job(web: Web) -> None:
    client = await visitor(web)

    first = await client.post("/backup/take")
    second = await client.post("/backup/take")

    assert first.headers["location"] == second.headers["location"]
    assert await list_kinds(web) == ["backup.take"]
    assert "backup.take" in await read(client, first.headers["location"])


async def test_backups_are_the_head_offices_business(web: Web) -> None:
    branch, viewer = await visitor(web, "haeundae"), await visitor(web, "hq", Role.VIEWER)

    await read(branch, "/backup", 403)
    assert (await branch.post("/backup/take")).status_code == 403
    assert "/backup/take" not in await read(viewer, "/backup")
    assert (await viewer.post("/backup/take")).status_code == 403
    assert await list_kinds(web) == []


async def test_a_backup_that_is_not_there_cannot_be_checked(web: Web) -> None:
    client = await visitor(web)

    assert (await client.post("/backup/123/check")).status_code == 404
    assert (await client.post(f"/backup/{2**70}/check")).status_code == 404
