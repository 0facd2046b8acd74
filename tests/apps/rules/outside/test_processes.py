"""Programs of a rule's: nothing of the server's in them, and nothing left of them."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from pabal.apps.rules.outside.processes import Finished, NotStarted, Program, TimedOut, TooMuchOutput, run_program
from tests.support.servers import until

PYTHON = (sys.executable, "-S", "-c")
# a child in a session of its own, which no signal to a group reaches; its number goes to the file that is named
LEAVES_A_CHILD = """
import os, sys, time
child = os.fork()
if not child:
    os.setsid()
    with open(sys.argv[1] + ".part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(sys.argv[1] + ".part", sys.argv[1])
    time.sleep(600)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""


def python(code: str, *words: str, seconds: float = 30, most_output: int = 10_000, given: bytes = b"") -> Program:
    return Program((*PYTHON, code, *words), given=given, seconds=seconds, most_output=most_output)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_program_answers_what_it_is_asked():
    ended = await run_program(python("import sys; print(sys.stdin.read().upper())", given="안녕 abc".encode()))

    assert isinstance(ended, Finished)
    assert (ended.code, ended.output.decode()) == (0, "안녕 ABC\n")


async def test_it_knows_nothing_of_the_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_SECRET_KEY", "the server's secret")
    code = "import os; print(sorted(os.environ), os.listdir('.'), os.environ['HOME'] != os.path.expanduser('~root'))"

    ended = await run_program(python(code))

    assert isinstance(ended, Finished)
    names = ended.output.decode().split("]")[0]
    assert "PABAL_SECRET_KEY" not in names
    assert set(names.strip("[").replace("'", "").split(", ")) <= {
        "HOME",
        "LANG",
        "LC_CTYPE",
        "PABAL_RUN",
        "PATH",
        "TMPDIR",
    }
    assert " [] True" in ended.output.decode()


async def test_its_folder_is_gone_afterwards():
    ended = await run_program(python("import os; open('left', 'w').write('x'); print(os.environ['HOME'])"))

    assert isinstance(ended, Finished)
    assert not Path(ended.output.decode().strip()).exists()


async def test_one_that_hangs_is_ended():
    assert await run_program(python("import time; time.sleep(600)", seconds=0.3)) == TimedOut(0.3)


async def test_one_that_talks_too_much_is_ended():
    code = "while True: print('x' * 1000)"

    assert await run_program(python(code, most_output=5000)) == TooMuchOutput(5000)


async def test_one_that_is_not_there_says_so():
    ended = await run_program(Program(("no-such-program-of-ours",)))

    assert isinstance(ended, NotStarted)
    assert "no-such-program-of-ours" in ended.reason


async def test_how_it_ended_is_told():
    code = "import os, sys; sys.stderr.write('why'); sys.stderr.flush(); os.kill(os.getpid(), 15)"

    ended = await run_program(python(code))

    assert ended == Finished(128 + signal.SIGTERM, b"", b"why")


async def test_a_child_that_left_its_session_ends_with_its_program(tmp_path: Path):
    number = tmp_path / "child"

    ended = await run_program(python(LEAVES_A_CHILD, str(number)))

    assert isinstance(ended, Finished)
    assert not is_running(int(number.read_text()))


async def test_cancelling_leaves_nothing(tmp_path: Path):
    number = tmp_path / "child"
    running = asyncio.create_task(run_program(python(f"{LEAVES_A_CHILD}\ntime.sleep(600)", str(number))))
    await until(number.exists)

    running.cancel()
    await asyncio.wait([running])

    assert not is_running(int(number.read_text()))


async def test_nothing_outlives_a_server_that_was_killed(tmp_path: Path):
    number = tmp_path / "child"
    program = f"{LEAVES_A_CHILD}\ntime.sleep(600)"
    argv = (*PYTHON, program, str(number))
    code = (
        "import asyncio\n"
        "from pabal.apps.rules.outside.processes import Program, run_program\n"
        f"asyncio.run(run_program(Program({argv!r}, seconds=600)))"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=environment)
    await until(number.exists)

    server.kill()
    await server.wait()

    child = int(number.read_text())
    await until(lambda: not is_running(child))
