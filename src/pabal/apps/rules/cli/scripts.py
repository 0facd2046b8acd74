"""`pabal rule init`, `check`, `try`, `lock`: for a script's author, in the repository's folder, without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.base.errors import Invalid
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.printing import printable
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Pair, put

if TYPE_CHECKING:
    from pabal.apps.rules.scripts import ScriptResult

with lazily():
    from pabal.apps.rules import scripts as running
    from pabal.platform.commands import answers
    from pabal.platform.language import errors

Folder = Annotated[Path, typer.Option("--repository", metavar="FOLDER", help="The scripts' repository.")]
Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="Its path in the repository.")]
Json = Annotated[str, typer.Option("--payload", metavar="JSON", help="What the function gets as its payload.")]
Memory = Annotated[str, typer.Option("--memory", metavar="JSON", help="What it returned the last time.")]
Function = Annotated[str | None, typer.Option("--function", metavar="NAME", help="Of several, the one of this name.")]
Network = Annotated[bool, typer.Option("--network", help="Lets the script use the network.")]
Keep = Annotated[Path | None, typer.Option("--keep", metavar="FOLDER", help="Puts the files that it makes there.")]
Seconds = Annotated[float, typer.Option("--seconds", min=1, max=3600, help="How long it may take.")]
WORDS: dict[str, Pair] = {
    "file": ("FILE", "파일"),
    "script": ("SCRIPT", "스크립트"),
    "rules": ("RULES", "룰"),
    "packages": ("PACKAGES", "패키지"),
    "line": ("LINE", "줄"),
    "problem": ("PROBLEM", "문제"),
    "result": ("RESULT", "결과"),
    "message": ("MESSAGE", "메시지"),
    "value": ("VALUE", "반환값"),
    "would_send": ("WOULD SEND", "보낼 내용"),
    "artifacts": ("FILES", "결과 파일"),
}


class NoJson(Invalid, code="not_json"):
    """This option takes JSON."""


def init(ctx: typer.Context, folder: Annotated[Path, typer.Argument(metavar="FOLDER")] = Path()) -> None:
    """Begins a repository of scripts here: an example, its test, a README. Nothing that is there is changed."""
    shell = _open(ctx)

    async def work() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        made = [{"file": str(path.relative_to(folder))} for path in running.begin_repository(folder)]
        nothing = ("Everything is there already.", "이미 모두 있습니다.")
        shell.show(answers.Answer(("file",), made, empty=nothing, words=WORDS))

    shell.run(work())


def check(
    ctx: typer.Context,
    named: Annotated[list[str] | None, typer.Argument(metavar="[SCRIPT]...")] = None,
    repository: Folder = Path(),
) -> None:
    """Looks for mistakes in the scripts that are named, or in all. Nothing is run."""
    shell = _open(ctx)

    async def work() -> bool:
        rows: list[dict[str, Any]] = []
        for info in running.check_repository(repository.resolve(), tuple(named or ())):
            about = {"script": info.script, "rules": list(info.names), "packages": list(info.dependencies)}
            rows += [
                {**about, "line": mistake.line, "code": mistake.code, "problem": put(shell.lang, mistake.text)}
                for mistake in info.mistakes
            ] or [{**about, "line": None, "code": None, "problem": None}]
        nothing = ("There is no script here.", "여기에는 스크립트가 없습니다.")
        cells = [{**row, "rules": ", ".join(row["rules"]), "packages": ", ".join(row["packages"])} for row in rows]
        columns = ("script", "rules", "packages", "line", "problem")
        shell.show(answers.Answer(columns, rows, empty=nothing, words=WORDS, cells=cells))
        return any(row["code"] for row in rows)

    if shell.run(work()):
        raise typer.Exit(1)


def try_(
    ctx: typer.Context,
    script: Script,
    payload: Json = "{}",
    memory: Memory = "null",
    function: Function = None,
    repository: Folder = Path(),
    network: Network = False,
    keep: Keep = None,
    seconds: Seconds = 60.0,
) -> None:  # long: one option for each thing that a rule would say
    """Runs a script as a server would, dry: what it would send is shown, and nothing is sent."""
    shell = _open(ctx)

    async def work() -> bool:
        trial = running.Trial(
            repository.resolve(),
            script,
            function,
            _read_json("--payload", payload),
            _read_json("--memory", memory),
            running.Limits(seconds=seconds),
            running.Allows(network=network),
            keep,
        )
        if not running.probe_isolation().is_full:
            shell.tell(running.probe_isolation().reason)
        result = await running.try_script(trial, on_line=_print_line, cache=shell.settings.data_dir / "rules")
        shell.show(_show_result(shell, result))
        return result.ok

    if not shell.run(work()):
        raise typer.Exit(1)


def lock(ctx: typer.Context, script: Script, repository: Folder = Path()) -> None:
    """Writes the versions of a script's packages into a lock file beside it."""
    shell = _open(ctx)

    async def work() -> None:
        made = running.lock_script(repository.resolve() / script, cache=shell.settings.data_dir / "rules")
        row = {"file": str(made.relative_to(repository.resolve()))}
        shell.show(answers.Answer(("file",), [row], single=True, words=WORDS))

    shell.run(work())


def _open(ctx: typer.Context) -> Shell:
    shell: Shell = ctx.obj
    errors.add(running.KO)
    return shell


async def _print_line(stream: str, line: str) -> None:
    """On stderr: the result alone is on stdout."""
    typer.echo(printable(line), err=True)


def _show_result(shell: Shell, result: ScriptResult) -> answers.Answer:
    good, bad = ("It would have succeeded.", "성공했을 것입니다."), ("It would have failed.", "실패했을 것입니다.")
    row = {
        "ok": result.ok,
        "reason": result.reason,
        "result": put(shell.lang, good if result.ok else bad),
        "message": result.message,
        "value": result.value,
        "would_send": list(result.captured),
        "artifacts": [one.name for one in result.artifacts],
    }
    texts = {name: _show(row[name]) for name in ("value", "would_send", "artifacts")}
    columns = ("result", "message", *(name for name in texts if row[name]))
    return answers.Answer(columns, [row], single=True, words=WORDS, cells=[{**row, **texts}])


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read_json(option: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise NoJson(f"{option}: {error}") from error
