"""A script runs as its commit has it, within its limits, and whatever it does is a result with a reason."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from pabal.apps.rules.scripts import Containment, ScriptReason, forget_run
from tests.support.rule_scripts import Repository, Runs, list_marked


@pytest.mark.req("D-16", "D-48")
async def test_the_function_gets_payload_and_context_and_its_value_is_the_result(
    repository: Repository, any_runs: Runs
):
    commit = repository.commit_body(
        """
        print("looking at", payload["ticker"])
        context.log("the last price was", context.memory["price"])
        return {"message": "risen", "price": 501, "about": [context.rule_name, context.scheduled_for, context.attempt]}
        """
    )

    result = await any_runs.run(
        payload={"ticker": "AAPL"},
        context={
            "rule_name": "Apple",
            "scheduled_for": "2026-01-05T09:00:00+09:00",
            "attempt": 2,
            "memory": {"price": 499},
        },
    )

    assert (result.ok, result.reason, result.message, result.exit_code) == (True, None, "risen", 0)
    assert result.value == {"message": "risen", "price": 501, "about": ["Apple", "2026-01-05T09:00:00+09:00", 2]}
    assert (result.commit, result.dirty) == (commit, {})
    assert sorted(any_runs.lines) == [("log", "the last price was 499"), ("out", "looking at AAPL")]
    assert "looking at AAPL" in result.log_tail


async def test_neighbours_of_a_script_and_of_the_root_can_be_imported(repository: Repository, runs: Runs):
    repository.write("stock/prices.py", "LIMIT = 500\n")
    repository.write("common.py", "NAME = 'owner'\n")
    repository.write(
        "stock/check.py",
        """
        from pabal_rules import rule
        import common, prices

        @rule("stock/check")
        async def check(payload, context):
            return {"limit": prices.LIMIT, "name": common.NAME}
        """,
    )
    repository.commit()

    result = await runs.run("stock/check.py")

    assert result.value == {"limit": 500, "name": "owner"}


async def test_of_several_functions_the_named_one_runs(repository: Repository, runs: Runs):
    repository.commit(
        check="""
        from pabal_rules import rule

        @rule("first")
        async def first(payload, context):
            return {"message": "first"}

        @rule("second")
        async def second(payload, context):
            return {"message": "second"}
        """
    )

    named, unnamed, wrong = [await runs.run(function=name) for name in ("second", None, "third")]

    assert named.message == "second"
    assert (unnamed.reason, wrong.reason) == (ScriptReason.FUNCTION_MISSING, ScriptReason.FUNCTION_MISSING)
    assert "first, second" in wrong.message


async def test_a_function_that_says_it_failed_has_failed_without_a_reason_of_ours(repository: Repository, runs: Runs):
    repository.commit_body('return {"success": False, "message": "no articles today"}')

    result = await runs.run()

    assert (result.ok, result.reason, result.message) == (False, None, "no articles today")


async def test_an_exception_is_told_with_its_line(repository: Repository, any_runs: Runs):
    repository.commit_body("x = 1\nreturn {}[payload['ticker']]")

    result = await any_runs.run(payload={"ticker": "AAPL"})

    assert (result.ok, result.reason) == (False, ScriptReason.RAISED)
    assert "KeyError: 'AAPL' (check.py, line 6)" in result.message
    assert "Traceback" in result.log_tail


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return [1]", "list"),
        ("return {'at': object()}", "object"),
        ("return {'price': float('nan')}", "JSON"),
        ("return {'success': 'yes'}", "success"),
        ("return {'message': 3}", "message"),
    ],
)
async def test_a_value_that_cannot_be_kept_is_a_bad_return(repository: Repository, runs: Runs, body: str, why: str):
    repository.commit_body(body)

    result = await runs.run()

    assert (result.ok, result.reason) == (False, ScriptReason.BAD_RETURN)
    assert why in result.message


@pytest.mark.parametrize(
    ("text", "reason", "why"),
    [
        ("def broken(:", ScriptReason.RAISED, "SyntaxError"),
        ("import no_such_package", ScriptReason.RAISED, "no_such_package"),
        ("x = 1", ScriptReason.FUNCTION_MISSING, "registered: none"),
        ("raise SystemExit(3)", ScriptReason.RAISED, "SystemExit: 3"),
        ("import os; os.abort()", ScriptReason.CRASHED, "SIGABRT"),
        ("import os; os._exit(7)", ScriptReason.CRASHED, "exit code 7"),
        ("from pabal_rules import rule\n@rule('x')\ndef check(p, c): ...", ScriptReason.RAISED, "async def"),
        ("# /// script\n# dependencies = [\n# ///\n", ScriptReason.METADATA_BROKEN, "line"),
        ("# /// script\n# dependencies = ['rich']\n# ///\n", ScriptReason.ENVIRONMENT_NOT_READY, "rich"),
    ],
)
async def test_a_broken_script_says_what_is_wrong(
    repository: Repository, runs: Runs, text: str, reason: ScriptReason, why: str
):
    repository.commit(check=text)

    result = await runs.run()

    assert (result.ok, result.reason) == (False, reason)
    assert why in result.message


@pytest.mark.parametrize("script", ["missing.py", "../outside.py", "/etc/passwd", ".git/config", ""])
async def test_a_script_that_is_not_in_the_repository_is_missing(repository: Repository, runs: Runs, script: str):
    repository.commit_body("return {}")

    result = await runs.run(script)

    assert (result.ok, result.reason) == (False, ScriptReason.SCRIPT_MISSING)


async def test_a_folder_without_git_is_a_reason_too(runs: Runs, tmp_path: Path):
    (tmp_path / "scripts/.git").rename(tmp_path / "elsewhere")

    result = await runs.run()

    assert (result.ok, result.reason) == (False, ScriptReason.GIT_FAILED)


async def test_what_takes_too_long_is_ended(repository: Repository, any_runs: Runs):
    repository.commit_body("import time\ntime.sleep(3600)")

    result = await any_runs.run(limits={"seconds": 0.5})

    assert (result.ok, result.reason) == (False, ScriptReason.TIMEOUT)
    assert "0.5 s" in result.message


async def test_memory_is_counted_over_all_processes_of_the_script(repository: Repository, any_runs: Runs):
    repository.commit_body(
        """
        import subprocess, sys
        greedy = "import time; kept = bytearray(80 << 20); time.sleep(3600)"
        both = [subprocess.Popen([sys.executable, "-I", "-S", "-c", greedy]) for _ in range(2)]
        both[0].wait()
        """
    )

    result = await any_runs.run(limits={"memory_mb": 120})

    assert (result.ok, result.reason) == (False, ScriptReason.MEMORY)


async def test_a_scratch_folder_that_grows_too_large_ends_its_run(repository: Repository, any_runs: Runs):
    repository.commit_body(
        """
        import time
        for number in range(8):
            with open(f"{number}.bin", "wb") as file:
                file.write(b"x" * (512 << 10))
        time.sleep(3600)
        """
    )

    result = await any_runs.run(limits={"artifact_mb": 2})

    assert (result.ok, result.reason) == (False, ScriptReason.OUTPUT_TOO_LARGE)


async def test_output_is_cut_and_the_run_goes_on(repository: Repository, runs: Runs):
    repository.commit_body("for n in range(20000): print('line', n)\nreturn {'message': 'through'}")

    result = await runs.run(limits={"output_kb": 4})

    assert (result.ok, result.message) == (True, "through")
    assert sum(len(line) + 1 for _, line in runs.lines) < 5 * 1024
    assert runs.lines[-1] == ("pabal", "… the rest of the output is not kept")


async def test_a_value_too_large_to_keep_is_said_to_be(repository: Repository, runs: Runs):
    repository.commit_body("return {'text': 'x' * (300 << 10)}")

    result = await runs.run()

    assert (result.ok, result.reason, result.value) == (False, ScriptReason.OUTPUT_TOO_LARGE, None)


async def test_a_message_without_end_ends_the_run(repository: Repository, runs: Runs):
    repository.commit_body("import time\ncontext.notify('x' * (2 << 20))\ntime.sleep(3600)")

    result = await runs.run()

    assert (result.ok, result.reason) == (False, ScriptReason.OUTPUT_TOO_LARGE)


async def test_lines_arrive_while_the_script_runs(repository: Repository, runs: Runs):
    repository.commit_body("print('working', flush=False)\nreturn {'heard': await context.source('word')()}")
    heard = asyncio.Event()

    async def answer(source: str, arguments: object) -> str:
        await asyncio.wait_for(heard.wait(), 30)
        return "yes"

    result = await runs.run(on_line=lambda stream, line: heard.set(), answer=answer)

    assert result.value == {"heard": "yes"}


async def test_a_source_that_fails_is_an_exception_in_the_script(repository: Repository, runs: Runs):
    repository.commit_body(
        """
        from pabal_rules import SourceFailed
        try:
            await context.source("quote")(ticker="AAPL")
        except SourceFailed as error:
            return {"message": str(error)}
        """
    )

    async def answer(source: str, arguments: object) -> None:
        raise ConnectionError("the exchange is closed")

    failed, absent = await runs.run(answer=answer), await runs.run()

    assert failed.message == "the exchange is closed"
    assert "no source 'quote'" in absent.message


async def test_what_a_script_would_send_is_captured(repository: Repository, runs: Runs):
    repository.commit_body("context.notify('risen', title='AAPL')\nreturn {'dry': context.is_dry_run}")

    result = await runs.run(context={"dry_run": True})

    assert result.value == {"dry": True}
    assert result.captured == ({"kind": "notify", "text": "risen", "title": "AAPL"},)


async def test_artifacts_are_files_of_the_run_until_it_is_forgotten(repository: Repository, any_runs: Runs):
    repository.commit_body(
        """
        from pathlib import Path
        Path("table.csv").write_text("a,b")
        context.artifact("report.html", "<p>good</p>")
        context.artifact("../table.csv", Path("table.csv"))
        return {}
        """
    )
    run = any_runs.order()

    result = await any_runs.run(run_id=run.run_id)

    assert [(one.name, one.media_type, one.size, one.path.read_text()) for one in result.artifacts] == [
        ("report.html", "text/html", 11, "<p>good</p>"),
        ("table.csv", "text/csv", 3, "a,b"),
    ]
    await forget_run(run)
    assert not result.artifacts[0].path.exists()


async def test_an_artifact_that_is_a_link_is_not_kept(repository: Repository, runs: Runs, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    repository.commit_body(
        f"""
        import os
        context.artifact("a.txt", "x")
        os.unlink(context._artifacts / "0001")
        os.symlink({str(secret)!r}, context._artifacts / "0001")
        return {{}}
        """
    )

    result = await runs.run()

    assert result.artifacts == ()


async def test_nothing_of_the_servers_environment_is_the_scripts(
    repository: Repository, any_runs: Runs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PABAL_SECRET_KEY", "hidden")
    repository.commit_body(
        "import os, sys\nreturn {'names': sorted(os.environ), 'pabal': [p for p in sys.path if 'site-packages' in p]}"
    )

    result = await any_runs.run()

    assert result.value is not None
    assert set(result.value["names"]) <= {"HOME", "LANG", "LC_CTYPE", "PABAL_RUN", "PATH", "PWD", "TMPDIR"}
    assert result.value["pabal"] == []


async def test_a_cancelled_run_ends_with_everything_it_started(repository: Repository, any_runs: Runs):
    repository.commit_body(
        """
        import subprocess, sys, time
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(3600)"], start_new_session=True)
        print("started")
        time.sleep(3600)
        """
    )
    run = any_runs.order()

    result = await any_runs.run(run_id=run.run_id, on_line=lambda stream, line: any_runs.stop.set())

    assert (result.ok, result.reason) == (False, ScriptReason.CANCELLED)
    assert list_marked(run.run_id) == []


async def test_one_that_leaves_processes_behind_leaves_none(repository: Repository, any_runs: Runs):
    repository.commit_body(
        """
        import subprocess, sys
        lasting = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); time.sleep(3600)"
        subprocess.Popen([sys.executable, "-I", "-S", "-c", lasting], start_new_session=True)
        return {"message": "left"}
        """
    )
    run = any_runs.order()

    result = await any_runs.run(run_id=run.run_id)

    assert (result.ok, result.message) == (True, "left")
    assert list_marked(run.run_id) == []


async def test_a_task_that_is_cancelled_leaves_nothing_running(repository: Repository, any_runs: Runs):
    repository.commit_body("import time\nprint('started')\ntime.sleep(3600)")
    run, started = any_runs.order(), asyncio.Event()
    task = asyncio.create_task(any_runs.run(run_id=run.run_id, on_line=lambda stream, line: started.set()))
    await asyncio.wait_for(started.wait(), 30)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert list_marked(run.run_id) == []


async def test_a_crash_hurts_no_run_beside_it(repository: Repository, any_runs: Runs):
    repository.commit_body("import os\nos.kill(os.getpid(), 9)", name="crash")
    repository.commit_body("return {'heard': await context.source('word')()}", name="check")
    crashed = asyncio.Event()

    async def answer(source: str, arguments: object) -> str:
        await asyncio.wait_for(crashed.wait(), 30)
        return "still here"

    beside = asyncio.create_task(any_runs.run("check.py", answer=answer))
    crash = await any_runs.run("crash.py")
    crashed.set()

    assert (crash.reason, (await beside).value) == (ScriptReason.CRASHED, {"heard": "still here"})


async def test_a_contained_script_reaches_no_file_and_no_network(
    repository: Repository, contained: Runs, tmp_path: Path
):
    secret = tmp_path / "secret.txt"
    secret.write_text("key")
    repository.commit_body(
        """
        import os, socket
        seen = {"file": os.path.exists(payload["secret"]), "root": sorted(os.listdir("/"))}
        try:
            socket.create_connection(("127.0.0.1", payload["port"]), 5).close()
        except OSError as error:
            seen["network"] = type(error).__name__
        for folder in ("/rule", "/usr", "/", "/dev", "/pabal/pabal_rules"):
            try:
                open(folder + "/written", "w").close()
                seen["wrote"] = folder
            except OSError:
                pass
        return seen
        """
    )
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async with server:
        result = await contained.run(payload={"secret": str(secret), "port": port})

    assert result.value is not None, result
    assert (result.value["file"], result.value["network"]) == (False, "ConnectionRefusedError")
    assert "wrote" not in result.value
    assert not {"home", "var", "srv"} & set(result.value["root"])


async def test_what_a_rule_allows_can_be_reached(repository: Repository, contained: Runs, tmp_path: Path):
    shown, written = tmp_path / "shown", tmp_path / "written"
    shown.mkdir()
    written.mkdir()
    (shown / "list.txt").write_text("milk")
    repository.commit_body(
        """
        import socket
        from pathlib import Path
        socket.create_connection(("127.0.0.1", payload["port"]), 5).close()
        Path(payload["written"], "done.txt").write_text("yes")
        try:
            Path(payload["shown"], "list.txt").write_text("wine")
        except OSError as error:
            return {"list": Path(payload["shown"], "list.txt").read_text(), "refused": error.strerror}
        """
    )
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    payload = {"shown": str(shown), "written": str(written), "port": server.sockets[0].getsockname()[1]}

    async with server:
        result = await contained.run(
            payload=payload, allows={"network": True, "files": (str(shown),), "write": (str(written),)}
        )

    assert result.value == {"list": "milk", "refused": "Read-only file system"}
    assert (written / "done.txt").read_text() == "yes"


@pytest.mark.req("D-22", "D-90")
async def test_the_folder_is_run_as_it_is_with_uncommitted_files_marked(repository: Repository, runs: Runs):
    commit = repository.commit_body("return {'message': 'committed'}")
    repository.write("check.py", (repository.folder / "check.py").read_text().replace("committed", "changed"))

    now = await runs.run()
    then = await runs.run(commit=commit)

    assert (now.message, now.commit, list(now.dirty)) == ("changed", commit, ["check.py"])
    assert (then.message, then.commit, then.dirty) == ("committed", commit, {})


async def test_an_uncontained_script_cannot_change_what_other_runs_use(repository: Repository, runs: Runs):
    repository.commit_body(
        """
        from pathlib import Path
        import os
        os.chmod(__file__, 0o644)
        Path(__file__).write_text("broken(")
        return {"message": "whole"}
        """
    )

    assert [(await runs.run()).message for _ in range(2)] == ["whole", "whole"]
    assert os.access(repository.folder / "check.py", os.R_OK)


async def test_a_script_that_dies_before_it_hears_its_payload_has_crashed(repository: Repository, runs: Runs):
    repository.commit_body("return {}")
    runs.isolation = replace(runs.isolation, level=Containment.FULL, program="/bin/false")

    result = await runs.run(payload={"text": "x" * (1 << 20)})

    assert (result.ok, result.reason) == (False, ScriptReason.CRASHED)
    assert "exit code 1" in result.message
