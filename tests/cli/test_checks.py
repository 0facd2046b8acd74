"""`pabal doctor`: what is well, what is not, and how to mend it."""

import socket
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Setting
from tests.cli.inside import Inside
from tests.support.cli import Cli
from tests.support.database import apply_unknown
from tests.support.messaging import sign_wrongly
from tests.support.people import Tree
from tests.support.pgbouncer import needs_pgbouncer, pgbouncer
from tests.support.telegram import open_office
from tests.support.work import enqueue

GONE = Setting(key="old.days", default=1, label=("Days", "날"), help=("Days.", "날."), group=("Old", "옛"))


def by_name(told: object) -> dict[str, dict[str, str]]:
    return {row["check"]: row for row in told["items"]}  # type: ignore[index]  # what -o json holds


@pytest.mark.slow
@pytest.mark.beside
def test_on_a_healthy_database_nothing_fails_and_all_is_checked(cli: Cli) -> None:
    told = cli("doctor", "-o", "json")

    found = by_name(told.json)
    assert told.code == 0
    assert set(found) == {
        *("python", "folder", "disk", "port", "apps", "database", "version", "migrations", "clock", "listen"),
        *("snapshot", "dead_rows", "notifications", "partitions", "secret", "files", "assets", "backups", "settings"),
        *("proxies", "routes"),
    }
    assert [name for name, row in found.items() if row["state"] == "fail"] == []


def test_trusting_everybody_as_a_proxy_is_warned_about(cli: Cli) -> None:
    found = [by_name(cli("doctor", "-o", "json", PABAL_TRUSTED_PROXIES=one).json) for one in ("*", "10.0.0.0/8")]

    assert [one["proxies"]["state"] for one in found] == ["warn", "ok"]
    assert "PABAL_TRUSTED_PROXIES" in found[0]["proxies"]["mend"]


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


async def test_what_the_platform_keeps_is_looked_at(db: Database, run: Inside, tree: Tree) -> None:
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, GONE, 5)
    async with open_office(db, run.folder) as office:
        await office.add_channel(tree.hq)
        found = by_name((await run("doctor", "-o", "json", PABAL_TELEGRAM_URL=office.url)).json)
    silent = by_name((await run("doctor", "-o", "json", PABAL_TELEGRAM_URL="http://127.0.0.1:1")).json)

    assert (found["backups"]["state"], found["backups"]["mend"]) == ("warn", "Take one: pabal backup take")
    assert (found["settings"]["state"], found["settings"]["detail"]) == ("warn", "old.days")
    assert (found["telegram"]["state"], silent["telegram"]["state"]) == ("ok", "warn")


async def test_a_key_that_others_may_read_and_one_that_is_too_short_are_pointed_out(run: Inside) -> None:
    file = run.folder / "data" / "secret.key"
    file.parent.mkdir()
    file.write_text("a key of some length for a test")
    file.chmod(0o644)

    loose = by_name((await run("doctor", "-o", "json")).json)
    short = by_name((await run("doctor", "-o", "json", PABAL_SECRET_KEY="short")).json)

    assert (loose["secret"]["state"], short["secret"]["state"]) == ("warn", "fail")
    assert "short" not in short["secret"]["detail"]


@pytest.mark.usefixtures("without_partitions")
async def test_rows_in_a_default_partition_are_pointed_out(db: Database, cli: Cli) -> None:
    await enqueue(db)

    table = cli("doctor", "--lang", "ko")

    assert "! 주의  partitions" in table.out
    assert "기본 파티션" in table.out


async def test_a_newer_database_and_an_app_that_is_not_loaded_are_told_apart(db: Database, run: Inside) -> None:
    await apply_unknown(db, "rooms", 1, "0001_rooms")
    beside = await run("doctor", "-o", "json")
    await apply_unknown(db, "engine", 99, "0099_future")
    newer = await run("doctor", "-o", "json", "--lang", "ko")

    found = by_name(beside.json)
    assert (beside.code, found["unloaded"]["state"], found["unloaded"]["detail"]) == (0, "warn", "rooms 0001_rooms")
    assert "newer" not in found
    found = by_name(newer.json)
    assert (newer.code, found["newer"]["state"]) == (1, "fail")
    assert found["newer"]["detail"] == "database_newer: engine 0099_future"
    assert "그 버전을 설치하거나" in found["newer"]["mend"]


async def test_a_migration_that_was_edited_is_named(db: Database, run: Inside) -> None:
    async with db.transaction() as tx:
        await tx.script("update pabal.migration set checksum = 'another' where owner = 'engine' and number = 1")

    found = by_name((await run("doctor", "-o", "json")).json)

    assert (found["changed"]["state"], found["changed"]["detail"]) == ("fail", "migration_changed: engine 0001_work")


@needs_pgbouncer
async def test_a_pooler_at_the_engine_s_address_is_named(db: Database, run: Inside) -> None:
    with pgbouncer(db.url, mode="transaction") as address:
        checked = await run("doctor", "-o", "json", PABAL_DATABASE_URL=address)
        started = await run("up", "--port", "0", "-o", "json", PABAL_DATABASE_URL=address)
        migrated = await run("db", "migrate", "-o", "json", "--lang", "ko", PABAL_DATABASE_URL=address)
        listed = await run("jobs", "list", PABAL_DATABASE_URL=address)

    found = by_name(checked.json)
    assert (checked.code, found["pooler"]["state"]) == (1, "fail")
    assert "PABAL_PAGES_URL" in found["pooler"]["mend"]
    assert {one.code for one in (started, migrated, listed)} == {2}
    assert '"code": "pooler_not_allowed"' in started.err
    assert "커넥션 풀러" in migrated.err
    assert "pooler_not_allowed" in listed.err


@needs_pgbouncer
async def test_the_pages_own_address_is_tried(db: Database, run: Inside, empty_url: str) -> None:
    with pgbouncer(db.url, mode="transaction") as address:
        good = await run("doctor", "-o", "json", PABAL_PAGES_URL=address)
    gone = await run("doctor", "-o", "json", PABAL_PAGES_URL=address)
    elsewhere = await run("doctor", "-o", "json", PABAL_PAGES_URL=empty_url)
    started = await run("up", "--port", "0", "-o", "json", PABAL_PAGES_URL=empty_url)

    assert by_name(good.json)["pages"]["state"] == "ok"
    assert by_name(gone.json)["pages"]["state"] == "fail"
    assert "PagesAddressUnfit" in by_name(elsewhere.json)["pages"]["detail"]
    assert (started.code, '"code": "pages_address_unfit"' in started.err) == (2, True)


async def test_a_phone_that_signs_with_a_wrong_secret_is_named(run: Inside, db: Database, tree: Tree) -> None:
    await sign_wrongly(db, tree.haeundae, "busan1")

    found = by_name((await run("doctor", "-o", "json")).json)

    assert found["routes"]["state"] == "warn"
    assert "bot:busan1: The phone of bot ‘busan1’ is connected, but does not sign" in found["routes"]["detail"]
    assert "do what is said" in found["routes"]["mend"]
