"""How every command fails and in which language."""

import pytest
import typer

from pabal.cli.shell import Shell
from pabal.platform.commands.options import NameAmbiguous
from tests.support.cli import Cli
from tests.support.database import with_database


def test_a_database_that_does_not_answer_ends_with_6(cli: Cli) -> None:
    told = cli("jobs", "list", "-o", "json", PABAL_DATABASE_URL="postgresql://me:tiger@127.0.0.1:1/db")

    assert (told.code, told.out) == (6, "")
    assert '"code": "database_unavailable"' in told.err
    assert '"next": "pabal doctor"' in told.err
    assert "tiger" not in told.err


def test_a_database_that_is_not_there_ends_with_6(cli: Cli, cluster_url: str) -> None:
    told = cli("jobs", "list", PABAL_DATABASE_URL=with_database(cluster_url, "no_such"))

    assert told.code == 6
    assert "database_refused" in told.err


def test_without_an_address_and_without_a_private_one_it_says_how_to_start(cli: Cli) -> None:
    told = cli("jobs", "list", "--lang", "ko", PABAL_DATABASE_URL="")

    assert told.code == 6
    assert told.err.startswith("오류 no_database: 데이터베이스 주소가 없고")
    assert "pabal up" in told.err


def test_wrong_settings_are_named_and_end_with_2(cli: Cli) -> None:
    for arguments in (["jobs", "list"], ["up"], ["status"]):
        told = cli(*arguments, PABAL_PORT="many")

        assert told.code == 2
        assert "PABAL_PORT" in told.err
        assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("environment", "option", "lang"),
    [
        ({}, None, "en"),
        ({"LANG": "ko_KR.UTF-8"}, None, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C.UTF-8"}, None, "en"),
        ({"LANG": "ko_KR.UTF-8", "PABAL_LANG": "en"}, None, "en"),
        ({"PABAL_LANG": "auto", "LANG": "ko_KR.UTF-8"}, None, "ko"),
        ({"PABAL_LANG": "en"}, "ko", "ko"),
    ],
)
def test_the_option_beats_the_setting_beats_the_system(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], option: str | None, lang: str
) -> None:
    for name in ("PABAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert Shell(wanted_lang=option).lang == lang


def test_help_and_version_need_no_settings_and_no_database(cli: Cli) -> None:
    helped, version = (cli.as_installed(one, PABAL_PORT="many") for one in ("--help", "--version"))

    assert (helped.code, version.code) == (0, 0)
    assert "-o table|json|ndjson|csv|plain" in helped.out
    assert version.out.count(".") == 2


def test_what_others_typed_moves_no_cursor_in_a_sentence_or_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell(wanted_lang="en")

    shell.tell(("Room {name}", "방 {name}"), name="a\x1b[2Jb")
    with pytest.raises(typer.Exit):
        shell.fail(NameAmbiguous("1 a\x1b[2Jb"))

    told = capsys.readouterr().err
    assert told.startswith("Room a [2Jb\n")
    assert told.count("a [2Jb") == 2
    assert "\x1b" not in told
