"""Proves the proofs: python -m chaos.mutants sabotages the engine in small ways, one at a time, in a copy of the tree.

Each must be caught: by the test that is named for it, or by a short run that finds the named promise broken. Ends with
`caught K of N`, and with 1 unless that is all of them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chaos.sabotage import MUTANTS, Mutant
from pabal.base.clock import elapsed

ROOT = Path(__file__).parents[1]
# What tests and runs need; never the environment, and never what git keeps.
PARTS = ("src", "chaos", "tests", "tools", "bench", "pyproject.toml")
SECONDS, SEED = 24, 7
LONGEST, HUNG = 300.0, 124


class NotSabotaged(Exception):
    """The text to be replaced is not there exactly once: the engine has changed, and so must its sabotage."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="those whose name or file contains this")
    parser.add_argument("--list", action="store_true", help="say what they are, and do nothing")
    given = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if given.only in mutant.name or given.only in mutant.file]
    if given.list:
        for mutant in chosen:
            print(f"{mutant.name}: {mutant.file}, {mutant.seen_by}")
        return 0
    with _copy_of_tree() as tree:
        if not _is_sound(tree, chosen):
            print("the engine itself does not pass what is to catch its mutants")
            return 1
        caught = sum(_try(tree, mutant) for mutant in chosen)
    print(f"caught {caught} of {len(chosen)}")
    return 0 if caught == len(chosen) else 1


def sabotaged(text: str, mutant: Mutant) -> str:
    if text.count(mutant.old) != 1:
        raise NotSabotaged(f"{mutant.name}: {text.count(mutant.old)} times in {mutant.file}")
    return text.replace(mutant.old, mutant.new)


@contextmanager
def _copy_of_tree() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pabal-mutants-"))
    folder.chmod(0o755)
    try:
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, folder / part)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_sound(tree: Path, mutants: Sequence[Mutant]) -> bool:
    """Otherwise what fails would say nothing about the mutant."""
    tests = sorted({mutant.seen_by for mutant in mutants if mutant.promise is None})
    commands = [_pytest(tests)] if tests else []
    commands += [_short_run()] if any(mutant.promise is not None for mutant in mutants) else []
    for command in commands:
        ended = _run(tree, *command)
        if ended.returncode != 0:
            print(ended.stdout)
            return False
    return True


def _try(tree: Path, mutant: Mutant) -> bool:
    began = elapsed()
    path = tree / mutant.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(sabotaged(sound, mutant), encoding="utf-8")
    try:
        is_caught = _is_caught(tree, mutant)
    finally:
        path.write_text(sound, encoding="utf-8")
    mark = "caught " if is_caught else "MISSED "
    print(f"{mark} {mutant.name} ({mutant.seen_by}, {elapsed() - began:.0f} s)", flush=True)
    return is_caught


def _is_caught(tree: Path, mutant: Mutant) -> bool:
    if mutant.promise is None:
        return has_failed(_run(tree, *_pytest([mutant.seen_by])).stdout, mutant.seen_by)
    ended = _run(tree, *_short_run())
    return ended.returncode == 1 and any(
        line.split()[:2] == ["FAIL", mutant.promise] for line in ended.stdout.splitlines()
    )


def has_failed(output: str, test: str) -> bool:
    """Whether this very test says so: one that could not be run, or whose fixture broke, proves nothing."""
    return any(re.match(rf"FAILED {re.escape(test)}(\[|\s|$)", line) for line in output.splitlines())


def _pytest(tests: Sequence[str]) -> list[str]:
    return ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]


def _short_run() -> list[str]:
    return ["-m", "chaos", "--seconds", str(SECONDS), "--seed", str(SEED), "--any"]


def _run(tree: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Everything is imported from the copy, also by the processes that tests and runs start."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    try:
        return subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        # Nobody said what is wrong.
        return subprocess.CompletedProcess(command, HUNG, "", "")


if __name__ == "__main__":
    sys.exit(main())
