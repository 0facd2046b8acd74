"""`pabal doctor`: what is well, what is not, and how to mend it."""

import socket
from pathlib import Path

from pabal.base.database import Database
from tests.support.cli import Cli
from tests.support.work import enqueue


def by_name(told: object) -> dict[str, dict[str, str]]:
    return {row["check"]: row for row in told["items"]}  # type: ignore[index]  # what -o json holds


def test_on_a_healthy_database_nothing_fails_and_all_is_checked(cli: Cli) -> None:
    told = cli("doctor", "-o", "json")

    found = by_name(told.json)
    assert told.code == 0
    assert set(found) == {
        *("python", "folder", "disk", "port", "apps", "database", "version", "migrations", "clock", "listen"),
        *("snapshot", "dead_rows", "notifications", "partitions"),
    }
    assert [name for name, row in found.items() if row["state"] == "fail"] == []


def test_without_a_database_it_says_how_to_get_one_and_checks_the_rest(cli: Cli) -> None:
    told = cli("doctor", "-o", "json", PABAL_DATABASE_URL="postgresql://me:tiger@127.0.0.1:1/db")

    found = by_name(told.json)
    assert told.code == 1
    assert (found["database"]["state"], found["python"]["state"]) == ("fail", "ok")
    assert "pabal up" in found["database"]["mend"]
    assert "tiger" not in told.out + told.err


def test_a_taken_port_and_a_missing_app_are_named(cli: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        found = by_name(cli("doctor", "-o", "json", PABAL_PORT=port, PABAL_APPS="").json)
    broken = cli("doctor", "-o", "json", PABAL_APPS="nowhere.py")

    assert (found["port"]["state"], port in found["port"]["detail"]) == ("warn", True)
    assert by_name(broken.json)["apps"]["state"] == "fail"
    assert broken.code == 1


def test_a_data_folder_that_is_a_file_fails(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    found = by_name(cli("doctor", "-o", "json").json)

    assert found["folder"]["state"] == "fail"


async def test_rows_in_a_default_partition_are_pointed_out(db: Database, cli: Cli) -> None:
    await enqueue(db)  # the template of the tests has made no weeks

    table = cli("doctor", "--lang", "ko")

    assert "! 주의  partitions" in table.out
    assert "기본 파티션" in table.out
