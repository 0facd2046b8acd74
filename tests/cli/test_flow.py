"""`pabal flow`: YAML in and out, starting a run and what one does with it."""

from pathlib import Path

from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.people import Tree

HELLO = """name: hello
title: 인사
input:
  who: {type: string, default: 여러분}
steps:
  - name: ask
    kind: platform.approval
    input: {title: 인사할까요}
  - name: tell
    kind: platform.notify
    input: {title: {text: "안녕하세요, {input.who}"}}
"""


async def test_a_workflow_goes_in_and_out_as_yaml_and_is_run(
    db: Database, run: Inside, tree: Tree, tmp_path: Path
) -> None:
    file = tmp_path / "hello.yaml"
    file.write_text(HELLO, "utf-8")

    tried = await run("flow", "import", str(file), "--dry-run", "-o", "json")
    nothing = (await run("flow", "list", "-o", "json")).json["items"]
    saved = (await run("flow", "import", str(file), "-o", "json")).json
    file.write_text((await run("flow", "export", "hello")).out, "utf-8")
    again = (await run("flow", "import", str(file), "-o", "json")).json
    started = (await run("flow", "run", "hello", "--input", '{"who": "부산"}', "-o", "json")).json
    paused = (await run("flow", "pause", str(started["id"]), "-m", "점심", "-o", "json")).json
    [listed] = (await run("flow", "runs", "--workflow", "hello", "-o", "json")).json["items"]
    shown = (await run("flow", "status", str(started["id"]), "-o", "json")).json

    assert (tried.code, nothing) == (0, [])
    assert (saved["version"], again["version"]) == (1, 1), "what is exported says the same"
    assert (paused["state"], listed["id"]) == ("paused", started["id"])
    assert shown["input"] == {"who": "부산"}
    assert [step["name"] for step in shown["steps"]] == ["ask", "tell"]


async def test_every_mistake_is_told_with_its_line(db: Database, run: Inside, tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(HELLO.replace("kind: platform.approval", "kin: x"))

    refused = await run("flow", "import", str(file))

    assert refused.code != 0
    assert "Line 6" in refused.err
    assert "Line 7" in refused.err


async def test_a_file_that_is_not_there_and_input_that_is_no_object_are_refused(
    db: Database, run: Inside, tree: Tree
) -> None:
    missing = await run("flow", "import", "nowhere.yaml")
    wrong = await run("flow", "run", "hello", "--input", "[1]")

    assert (missing.code, "nowhere.yaml" in missing.err) == (2, True)
    assert (wrong.code, "JSON object" in wrong.err) == (2, True)


async def test_what_a_step_may_do_is_listed(db: Database, run: Inside, tree: Tree) -> None:
    kinds = {one["name"]: one for one in (await run("flow", "kinds", "-o", "json")).json["items"]}

    assert kinds["platform.notify@1"]["effects"] == ["messages"]
