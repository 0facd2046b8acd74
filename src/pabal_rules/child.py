"""The script's own process: loads it, calls the function, tells the server how that went. Started by Pabal alone."""

import asyncio
import importlib.util
import json
import os
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

LONGEST_TRACEBACK = 8000


class ServerLine:
    """One JSON object a line, both ways, over a socket that this process was born with."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._rest = b""
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._number = 0

    def say(self, what: dict[str, Any]) -> None:
        line = json.dumps(what, allow_nan=False).encode() + b"\n"
        with self._lock:
            self._connection.sendall(line)

    def hear(self) -> Any:
        while b"\n" not in self._rest:
            self._take(self._connection.recv(1 << 16))
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    async def ask(self, source: str, arguments: dict[str, Any]) -> Any:
        loop = asyncio.get_running_loop()
        self._number += 1
        self._asked[self._number] = answer = loop.create_future()
        loop.add_reader(self._connection.fileno(), self._hear_answers)
        self.say({"ask": self._number, "source": source, "arguments": arguments})
        return await answer

    def _hear_answers(self) -> None:
        from pabal_rules.context import SourceFailed  # noqa: PLC0415 -- the package's folder is on the path only by now

        self._take(self._connection.recv(1 << 16))
        while b"\n" in self._rest:
            told = self.hear()
            answer = self._asked.pop(told["asked"])
            if answer.done():
                continue
            if "failed" in told:
                answer.set_exception(SourceFailed(told["failed"]))
            else:
                answer.set_result(told["value"])

    def _take(self, more: bytes) -> None:
        if not more:
            os._exit(1)  # nobody is there any more
        self._rest += more


def main() -> None:
    line = ServerLine(socket.socket(fileno=int(sys.argv[1])))
    # A thread that the script left running must not keep its run open, so nothing is waited for.
    line.say(_run(line, line.hear()))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


def _run(line: ServerLine, given: dict[str, Any]) -> dict[str, Any]:
    from pabal_rules import context, registry  # noqa: PLC0415 -- as above

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # both are text files here
    try:
        _load(Path(given["root"]), given["script"])
        function = registry.find(given["function"], given["script"])
        if function is None:
            return {"missing": registry.list_names()}
        about = context.Context(given["context"], server=line, artifacts=Path(given["artifacts"]))
        value = asyncio.run(_call(function, given["payload"], about))
    except BaseException as error:  # noqa: BLE001 -- whatever a script raises, SystemExit too, is its result
        return _show(error)
    return _check(value)


async def _call(function: Any, payload: Any, context: Any) -> Any:
    return await function(payload, context)


def _load(root: Path, script: str) -> None:
    """As `python script.py` would find its neighbours, and those of the repository's root."""
    file = root / script
    sys.path[:0] = [str(file.parent), str(root)] if file.parent != root else [str(root)]
    sys.argv = [str(file)]
    spec = importlib.util.spec_from_file_location("__rule__", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["__rule__"] = module
    spec.loader.exec_module(module)


def _check(value: Any) -> dict[str, Any]:
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return {"bad_return": f"it returned {type(value).__name__}, not a dict"}
    if not isinstance(value.get("success", True), bool):
        return {"bad_return": '"success" is neither True nor False'}
    if not isinstance(value.get("message", ""), str):
        return {"bad_return": '"message" is not a text'}
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return {"bad_return": str(error)}
    return {"value": value}


def _show(error: BaseException) -> dict[str, Any]:
    told = "".join(traceback.format_exception(error))
    sys.stderr.write(told[-LONGEST_TRACEBACK:])
    mistake = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return {"raised": mistake[:1000], "line": _line_of(error)}


def _line_of(error: BaseException) -> "int | None":
    """Where in the script itself."""
    if isinstance(error, SyntaxError) and error.filename == sys.argv[0]:
        return error.lineno
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == sys.argv[0]]
    return steps[-1].lineno if steps else None


if __name__ == "__main__":
    # Beside this package lies nothing else: its folder was made for scripts.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    main()
