"""`pabal why`: the story in words, in both languages, with the next command."""

from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.outcome import Retry
from tests.support.cli import Cli
from tests.support.schedules import pause, put
from tests.support.work import enqueue, settle, start


async def test_a_failed_job_tells_its_error_and_how_to_try_again(db: Database, cli: Cli) -> None:
    job = await start(db, max_failures=1)
    await settle(db, job, Retry("no paper"))
    name = ids.show("job", job.id)

    told = cli("why", name)

    assert told.code == 0
    assert told.out.splitlines()[0] == f"{name}  test.plain  ✕ failed"
    assert "Failed for good: no paper" in told.out
    assert f"pabal jobs retry {name}" in told.out


async def test_a_story_for_programs_has_codes_and_texts(db: Database, cli: Cli) -> None:
    job = await enqueue(db)

    story = cli("why", ids.show("job", job), "-o", "json", PABAL_LANG="ko").json

    assert story["state"] == "ready"
    assert [line["code"] for line in story["lines"]] == ["enqueued", "waits_for_slot", "no_server"]
    assert story["lines"][-1]["text"] == "작업을 실행할 서버가 살아 있지 않습니다."
    assert story["next"][0] == "pabal up"


async def test_a_schedule_has_a_story_too(db: Database, cli: Cli) -> None:
    schedule = await put(db, name="아침 공지")
    await pause(db, schedule.id)

    told = cli("why", f"sch_{schedule.id}", LANG="ko_KR.UTF-8")

    assert f"sch_{schedule.id}  아침 공지  ! 일시중지" in told.out
    assert f"pabal schedules resume sch_{schedule.id}" in told.out


def test_an_id_of_nothing_we_know_is_wrong_usage(cli: Cli) -> None:
    assert cli("why", "room_7").code == 2
    assert cli("why", "occ_7@2026-07-03T00:00:00Z").code == 3
