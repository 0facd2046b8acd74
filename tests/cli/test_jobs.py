"""`pabal jobs`, run as people run it."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.engine import ids, reports
from pabal.engine.kinds import Report
from pabal.engine.outcome import Done, Retry
from tests.support.cli import ROOT, Cli
from tests.support.work import OTHER, PLAIN, enqueue, place, places, results, settle, start


@pytest.fixture
def app(tmp_path: Path) -> str:
    """The code of the tests' kinds, as a user's program would bring it."""
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return str(file)


def shown(job_id: int) -> str:
    return ids.show("job", job_id)


async def test_a_list_is_cut_into_pages_that_follow_one_another(db: Database, cli: Cli) -> None:
    made = [shown(await enqueue(db, OTHER)) for _ in range(3)]
    await enqueue(db, PLAIN)

    first = cli("jobs", "list", "--kind", OTHER, "--limit", "2", "-o", "json").json
    rest = cli("jobs", "list", "--kind", OTHER, "--limit", "2", "--cursor", first["next_cursor"], "-o", "json").json

    assert [job["id"] for job in (*first["items"], *rest["items"])] == made[::-1]
    assert rest["next_cursor"] is None


async def test_a_list_may_be_narrowed_by_state(db: Database, cli: Cli) -> None:
    failed = await start(db, max_failures=1)
    await settle(db, failed, Retry("no paper"))
    await enqueue(db)

    table = cli("jobs", "list", "--state", "failed")

    assert table.code == 0
    [_header, line] = table.out.splitlines()
    assert line.startswith(shown(failed.id))
    assert "no paper" in line


async def test_what_a_job_saved_and_gave_is_shown(db: Database, cli: Cli) -> None:
    running, over = await start(db), await start(db)
    async with db.transaction() as tx:
        await reports.write(tx, None, [(running, Report({"percent": 40}, {"frame": 12}))])
    await settle(db, over, Done(data={"file": "out.mp4"}))

    found = cli("jobs", "show", shown(running.id), "-o", "json").json
    table = cli("jobs", "show", shown(over.id)).out

    assert (found["progress"], found["checkpoint"]) == ({"percent": 40}, {"frame": 12})
    assert "out.mp4" in table


async def test_one_job_is_shown_with_its_attempts_by_a_shortened_id(db: Database, cli: Cli) -> None:
    job = await start(db)
    await settle(db, job, Retry("no paper"))

    found = cli("jobs", "show", shown(job.id), "-o", "json").json
    alike = cli("jobs", "show", shown(job.id)[:9])

    assert (found["id"], found["state"], found["failures"]) == (shown(job.id), "delayed", 1)
    assert [(one["result"], one["error"]) for one in found["attempts"]] == [("retry", {"reason": "no paper"})]
    assert alike.code == 0


async def test_a_job_that_waits_gets_another_priority(db: Database, cli: Cli) -> None:
    job_id, running = await enqueue(db), (await start(db, OTHER)).id

    tried = cli("jobs", "priority", shown(job_id), "low", "--dry-run", "-o", "json").json
    before = (await place(db, job_id)).priority
    done = cli("jobs", "priority", shown(job_id), "urgent", "-o", "json").json
    refused = cli("jobs", "priority", shown(running), "urgent", "-o", "json")

    assert (tried["priority"], before, done["priority"]) == (3, 2, 0)
    assert (await place(db, job_id)).priority == 0
    assert refused.code != 0
    assert "job_not_waiting" in refused.err


def test_what_is_not_there_ends_with_3_and_the_next_command(cli: Cli) -> None:
    told = cli("jobs", "show", "job_zzzz")

    assert (told.code, told.out) == (3, "")
    assert "job_not_found" in told.err
    assert "pabal jobs list" in told.err


def test_what_is_no_id_is_wrong_usage(cli: Cli) -> None:
    assert cli("jobs", "show", "job_!").code == 2
    assert cli("jobs", "list", "--state", "sleeping").code == 2
    assert cli("jobs", "dance").code == 2


async def test_nothing_is_cancelled_where_nobody_can_say_yes(db: Database, cli: Cli) -> None:
    job = await enqueue(db)

    told = cli("jobs", "cancel", shown(job), "-o", "json")

    assert told.code == 4
    assert '"next": "pabal' in told.err
    assert "--yes" in told.err
    assert await places(db, job) == ["ready"]


async def test_a_cancel_ends_the_job_and_calls_its_give_up(db: Database, cli: Cli, app: str) -> None:
    job = await enqueue(db)

    done = cli("jobs", "cancel", shown(job), "--yes", "--app", app, "-o", "json", PYTHONPATH=f"{ROOT / 'src'}:{ROOT}")

    assert done.json["items"] == [{"id": shown(job), "result": "cancelled", "job": None}]
    assert await results(db, job) == [(1, "cancelled", True)]
    [told] = [row for row in cli("jobs", "list", "-o", "json").json["items"] if row["kind"] == "test.told"]
    assert told["about"] == f"job:{job}"


async def test_handlers_that_need_services_are_here_too(db: Database, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(MADE)
    job = await enqueue(db)
    backup = cli("backup", "take", "--no-wait", "-o", "json").json["job"]
    source = f"{ROOT / 'src'}:{ROOT}"

    done = cli("jobs", "cancel", shown(job), backup, "--yes", "--app", "made.py", "-o", "plain", PYTHONPATH=source)

    assert done.out.splitlines() == [f"{shown(job)}\tcancelled", f"{backup}\tcancelled"]
    assert await results(db, job) == [(1, "cancelled", True)]
    assert not (tmp_path / "data" / "secret.key").exists()


async def test_a_job_whose_code_is_not_here_is_only_cancelled_by_force(db: Database, cli: Cli) -> None:
    job = await enqueue(db)

    refused = cli("jobs", "cancel", shown(job), "--yes")
    looked = cli("jobs", "cancel", shown(job), "--force", "--dry-run", "-o", "plain")
    assert await places(db, job) == ["ready"]
    forced = cli("jobs", "cancel", shown(job), "--yes", "--force")

    assert (refused.code, looked.out, forced.code) == (4, f"{shown(job)}\twould_cancel\n", 0)
    assert "handler_not_here" in refused.err
    assert await places(db, job) == ["ended"]


async def test_some_of_several_is_partial_and_none_of_them_a_conflict(db: Database, cli: Cli) -> None:
    over = await start(db)
    await settle(db, over, Done())
    job = await enqueue(db)

    none = cli("jobs", "cancel", shown(over.id), "--yes")
    some = cli("jobs", "cancel", shown(job), shown(over.id), "job_zzzz", "--yes", "--force", "-o", "plain")

    assert none.code == 5
    assert some.code == 7
    assert [line.split("\t")[1] for line in some.out.splitlines()] == ["cancelled", "ended_before", "not_found"]


async def test_a_failed_job_is_enqueued_again_as_a_new_one_that_names_it(db: Database, cli: Cli) -> None:
    options = {"args": {"a": 1}, "lane": "l", "about": "schedule:7", "priority": 1, "unit_id": 3}
    failed = await start(db, max_failures=1, **options)
    await settle(db, failed, Retry("no paper"))

    again = cli("jobs", "retry", shown(failed.id), "-o", "json").json["items"][0]

    new = await place(db, ids.read("job", again["job"]))
    assert new.id != failed.id
    assert (new.args, new.lane, new.about, new.priority, new.unit_id) == ({"a": 1}, "l", "schedule:7", 1, 3)
    assert (new.cause, new.queue, new.max_failures) == (shown(failed.id), PLAIN, 1)


async def test_a_retry_keeps_the_route(db: Database, cli: Cli) -> None:
    job = await enqueue(db, route="bot:busan1")
    cli("jobs", "cancel", shown(job), "--yes", "--force")

    [again] = cli("jobs", "retry", shown(job), "-o", "json").json["items"]

    assert (await place(db, ids.read("job", again["job"]))).queue == "bot:busan1"


async def test_what_succeeded_or_still_runs_is_not_retried(db: Database, cli: Cli) -> None:
    done, ready = await start(db), await enqueue(db)
    await settle(db, done, Done())

    assert [cli("jobs", "retry", shown(job)).code for job in (done.id, ready)] == [4, 4]


MADE = """
from pabal.platform.slice import Slice
from tests.support.work import KINDS

SLICE = Slice("made", kinds=lambda services: KINDS)
"""
MINE = """
from pabal.platform.slice import Slice
from tests.support.work import KINDS

SLICE = Slice("mine", kinds=KINDS)
"""
