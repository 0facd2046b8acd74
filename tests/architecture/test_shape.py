"""The numbers of `python -m tools.shape` count what they say."""

import json
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, write
from tools.shape import main, measure


def test_the_last_line_is_json_with_every_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, "src/pabal/engine/one.py", "")
    write(tmp_path, "src/pabal/engine/two.py", "")

    assert main(["--json", "--root", str(tmp_path)]) == 0

    figures = json.loads(capsys.readouterr().out.splitlines()[-1])

    assert list(figures) == [
        "files",
        "lines",
        "face_lines",
        "duplicate_classes",
        "long_template_lines",
        "functions_over_40",
        "one_importer_modules",
        "upward_imports",
        "engine_tables_used_by_apps",
    ]
    assert figures["files"] == 2


def test_no_floor_leans_on_one_above_it():
    figures, found = measure(PROJECT)

    assert found["upward_imports"] == []
    assert figures["files"] == sum(1 for _ in (PROJECT / "src").rglob("*.py"))


def test_what_scripts_import_stands_below_everything(tmp_path: Path):
    write(tmp_path, "src/pabal/base/clock.py", "from pabal_rules import child\n")
    write(tmp_path, "src/pabal_rules/child.py", "from pabal_rules import context\nfrom pabal.base import clock\n")
    write(tmp_path, "src/pabal_rules/context.py", "")

    assert measure(tmp_path)[1]["upward_imports"] == ["pabal_rules.child -> pabal.base.clock"]


def test_a_list_names_what_was_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, "src/pabal/engine/one.py", "class Room: ...\n")
    write(tmp_path, "src/pabal/engine/two.py", "class Room: ...\n")

    main(["--root", str(tmp_path), "--list"])

    assert "    Room: pabal.engine.one, pabal.engine.two" in capsys.readouterr().out.splitlines()


def test_faces_are_api_cli_and_pages_of_the_apps_as_file_or_folder(tmp_path: Path):
    write(tmp_path, "src/pabal/apps/relay/api.py", "a = 1\nb = 2\n")
    write(tmp_path, "src/pabal/apps/relay/pages/rooms.py", "a = 1\n")
    write(tmp_path, "src/pabal/apps/relay/store.py", "a = 1\n")
    write(tmp_path, "src/pabal/cli/app.py", "a = 1\n")

    figures, _ = measure(tmp_path)

    assert (figures["files"], figures["lines"], figures["face_lines"]) == (4, 5, 3)


def test_functions_and_templates_that_are_too_long_are_counted(tmp_path: Path):
    write(tmp_path, "src/pabal/engine/long.py", "def f():\n" + "    x = 1\n" * 40 + "def g():\n" + "    x = 1\n" * 39)
    write(tmp_path, "src/pabal/console/templates/page.html", "x" * 140 + "\n" + "x" * 141 + "\n")

    figures, found = measure(tmp_path)

    assert found["functions_over_40"] == ["pabal.engine.long.f: 41 lines"]
    assert figures["long_template_lines"] == 1


def test_a_module_with_one_importer_in_its_package_is_found(tmp_path: Path):
    write(tmp_path, "src/pabal/engine/__init__.py", "from pabal.engine.public import x\n")
    write(tmp_path, "src/pabal/engine/half.py", "x = 1\n")
    write(tmp_path, "src/pabal/engine/public.py", "from pabal.engine import half, shared\nx = half.x\n")
    write(tmp_path, "src/pabal/engine/shared.py", "x = 1\n")
    write(tmp_path, "src/pabal/engine/other.py", "from pabal.engine.shared import x\n")
    write(tmp_path, "src/pabal/platform/user.py", "from pabal.engine.other import x\n")

    _, found = measure(tmp_path)

    assert found["one_importer_modules"] == ["pabal.engine.half: pabal.engine.public"]


def test_imports_of_a_higher_floor_and_of_another_app_are_found(tmp_path: Path):
    write(tmp_path, "src/pabal/base/clock.py", "def f():\n    from pabal.engine import queue\n")
    write(tmp_path, "src/pabal/engine/queue.py", "from pabal.base import clock\n")
    write(tmp_path, "src/pabal/apps/relay/store.py", "from pabal.apps.rules.store import x\n")
    write(tmp_path, "src/pabal/apps/rules/store.py", "x = 1\n")
    write(tmp_path, "src/pabal/main.py", "from pabal.apps.relay import store\n")

    _, found = measure(tmp_path)

    assert found["upward_imports"] == [
        "pabal.apps.relay.store -> pabal.apps.rules.store",
        "pabal.base.clock -> pabal.engine.queue",
    ]


def test_tables_of_the_engine_in_an_apps_statements_are_found_once_a_file(tmp_path: Path):
    write(tmp_path, "src/pabal/engine/migrations/0001_work.sql", "create table pabal.work (id int);\n")
    write(tmp_path, "src/pabal/apps/relay/migrations/0001_a.sql", "select 1 from pabal.work;\n")
    used = "select 1 from pabal.work;\n-- pabal.outcome\nselect 2 from pabal.mailbox, pabal.work;\n"
    write(tmp_path, "src/pabal/apps/relay/store.sql", used)

    _, found = measure(tmp_path)

    assert found["engine_tables_used_by_apps"] == ["pabal/apps/relay/store.sql: work"]
