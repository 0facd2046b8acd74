"""A full disk answers 503 with when to come again, and leaves nothing half-written."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.disk import DiskFull
from pabal.base.settings import Settings
from pabal.platform.commands.files import write_new
from tests.support.disk import cramped
from tests.support.servers import until
from tests.support.web import SECRET, Web

SIZE = 3 * 1024 * 1024
FULL = """create function tests_full() returns trigger language plpgsql as $$
begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full'; end $$;
create trigger tests_full before insert on pabal.unit for each row execute function tests_full()"""


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="", secret_key=SECRET)


def list_files(folder: Path) -> Sequence[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_an_upload_that_finds_no_room_is_told_so_and_nothing_of_it_stays(web: Web, tmp_path: Path):
    operator = await web.as_("gangnam")
    parts = {"file": ("large.bin", bytes(SIZE))}
    before = list_files(tmp_path)

    with cramped(SIZE // 2):
        refused = await operator.post("/api/v1/files?kind=any", files=parts)
        again = await operator.post("/api/v1/files?kind=any", files=parts)
    # the store takes its own temporary file away, a moment after the answer
    await until(lambda: list_files(tmp_path) == before)
    made = await operator.post("/api/v1/files?kind=any", files=parts)

    problem = refused.json()
    assert (refused.status_code, problem["code"], refused.headers["Retry-After"]) == (503, "disk_full", "60")
    assert "no room left on the disk" in problem["detail"]
    assert str(tmp_path) not in refused.text
    assert again.status_code == 503
    assert made.status_code == 201


async def test_a_database_that_finds_no_room_is_told_to_programs_and_to_people(web: Web):
    admin, person = await web.as_("hq"), await web.as_("hq", by="session", Accept="text/html")
    async with web.db.transaction() as tx:
        await tx.script(FULL)
    new = {"parent_id": web.tree.hq.id, "level": "distributor", "name": "새 총판"}

    program = await admin.post("/api/v1/units", json=new)
    page = await person.post(
        "/people/units", data={"parent_id": str(web.tree.hq.id), "level": "distributor", "title": "새 총판"}
    )
    listed = await admin.get("/api/v1/units")

    for answer in (program, page):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60"), answer.text
    assert program.json()["code"] == "disk_full"
    assert "There was no room left on the disk" in page.text
    assert "base/1/2" not in program.text + page.text
    assert "새 총판" not in listed.text


async def test_a_file_that_a_command_writes_is_whole_or_not_there(tmp_path: Path):
    async def chunks() -> AsyncIterator[bytes]:
        yield bytes(100_000)
        yield bytes(100_000)

    with pytest.raises(DiskFull), cramped(150_000):
        await write_new(tmp_path / "export.csv", chunks())

    assert list_files(tmp_path) == []
