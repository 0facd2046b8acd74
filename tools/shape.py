"""Measures the shape of the code in src: how much there is, and what the rules of the house want less of.

`python -m tools.shape` prints a table, `--list` names what was counted, `--json` prints one line for programs.

What counts:
- face_lines: Python lines of api, cli and pages, module or folder, of the apps.
- duplicate_classes: class names that occur more than once in src.
- functions_over_40: with the lines of their bodies and heads, whether or not they say why (`# long:`).
- one_importer_modules: modules that a single module of their own package imports, and nobody else in src. Tests do not
  count as importers. What a package's `__init__` passes on is that package's public face and has its users elsewhere.
- upward_imports: imports of a higher floor (base, engine, platform, apps, edges) or of another app, anywhere in a file.
- engine_tables_used_by_apps: pairs of an app's .sql file, migrations apart, and a table of the engine named in it.
"""

import argparse
import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FUNCTION_LINES = 40
TEMPLATE_COLUMNS = 140
FACES = ("api", "cli", "pages")
FLOORS = {"base": 1, "engine": 2, "platform": 3, "testing": 3, "apps": 4, "demo": 4}
EDGES = 5

_TABLE = re.compile(r"^\s*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(?:\w+\.)?(\w+)", re.I | re.M)
_PARTITION = re.compile(r"partition\s+of", re.I)
_COMMENT = re.compile(r"--.*$", re.M)


@dataclass(frozen=True, slots=True)
class Module:
    """`name` is dotted from the root package; `package` is the folder it stands in; `statements` are all there are, at
    any depth."""

    name: str
    path: Path
    text: str
    statements: list[ast.stmt]

    @property
    def package(self) -> str:
        return self.name if self.is_face else self.name.rpartition(".")[0]

    @property
    def is_face(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())


def main(arguments: list[str] | None = None) -> int:
    options = _parse(arguments)
    figures, found = measure(options.root)
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, number in figures.items():
        print(f"{name:28} {number:>7,}")
        if options.list:
            print("".join(f"    {one}\n" for one in found.get(name, [])), end="")
    return 0


def measure(root: Path) -> tuple[dict[str, int], dict[str, list[str]]]:
    """The numbers, and for those that are a list of something, what is in it."""
    source = root / "src"
    modules = list(_read_modules(source))
    known = {module.name: module for module in modules}
    found = {
        "duplicate_classes": list(_duplicate_classes(modules)),
        "long_template_lines": list(_long_template_lines(source)),
        "functions_over_40": [one for module in modules for one in _long_functions(module)],
        "one_importer_modules": list(_one_importer_modules(known)),
        "upward_imports": [one for module in modules for one in _upward_imports(module, known)],
        "engine_tables_used_by_apps": list(_engine_tables_used(source)),
    }
    totals = {
        "files": len(modules),
        "lines": sum(module.lines for module in modules),
        "face_lines": sum(module.lines for module in modules if _is_face_of_an_app(module)),
    }
    return totals | {name: len(things) for name, things in found.items()}, found


def _read_modules(source: Path) -> Iterator[Module]:
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield Module(name, path, text, list(list_statements(ast.parse(text))))


def list_statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Without looking into expressions, which are nine tenths of a tree."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(tree, name, ())
        for node in inner if isinstance(inner, list) else ():
            if isinstance(node, ast.stmt):
                yield node
            yield from list_statements(node)


def _is_face_of_an_app(module: Module) -> bool:
    room = module.name.split(".")[1:]
    return len(room) > 2 and room[0] == "apps" and room[2] in FACES


def _duplicate_classes(modules: list[Module]) -> Iterator[str]:
    places = defaultdict(list)
    for module in modules:
        for node in module.statements:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.name)
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{name}: {', '.join(where)}"


def _long_template_lines(source: Path) -> Iterator[str]:
    for path in sorted(source.rglob("templates/**/*.html")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if len(line) > TEMPLATE_COLUMNS:
                yield f"{path.relative_to(source)}:{number}: {len(line)} columns"


def _long_functions(module: Module) -> Iterator[str]:
    for node in module.statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield f"{module.name}.{node.name}: {length} lines"


def _one_importer_modules(known: Mapping[str, Module]) -> Iterator[str]:
    importers = defaultdict(set)
    for module in known.values():
        for name in _imported(module, known):
            importers[name].add(module.name)
    for name, by in sorted(importers.items()):
        [first, *others] = sorted(by - {name}) or [""]
        if first and not others and not known[first].is_face and known[first].package == known[name].package:
            yield f"{name}: {first}"


def _upward_imports(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    own = module.name.split(".")
    for name in sorted(_imported(module, known)):
        other = name.split(".")
        is_stranger = own[1:2] == other[1:2] == ["apps"] and len(other) > 2 and own[2:3] != other[2:3]
        if is_stranger or _floor(other) > _floor(own):
            yield f"{module.name} -> {name}"


def _floor(parts: list[str]) -> int:
    # the root package itself holds nothing; what rule scripts import (pabal_rules) stands below everything
    return 0 if len(parts) < 2 or parts[0] != "pabal" else FLOORS.get(parts[1], EDGES)


def _imported(module: Module, known: Mapping[str, Module]) -> set[str]:
    """The modules of src it names: `from package import thing` is thing if that is a module, else package."""
    found = set()
    for node in module.statements:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _base_of(module, node)
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names}
    return {name for name in found if name in known}


def _base_of(module: Module, node: ast.ImportFrom) -> str:
    above = module.package.split(".")[: -(node.level - 1) or None] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


def _engine_tables_used(source: Path) -> Iterator[str]:
    tables = sorted(_engine_tables(source))
    for path in sorted(source.glob("*/apps/**/*.sql")):
        if "migrations" in path.parts:
            continue
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        for table in tables:
            if re.search(rf"\bpabal\.{table}\b(?!\()", text, re.IGNORECASE):
                yield f"{path.relative_to(source)}: {table}"


def _engine_tables(source: Path) -> set[str]:
    statements = (
        statement
        for path in source.glob("*/engine/migrations/*.sql")
        for statement in path.read_text(encoding="utf-8").split(";")
    )
    return {name for one in statements if not _PARTITION.search(one) for name in _TABLE.findall(one)}


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.shape", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of the table")
    parser.add_argument("--list", action="store_true", help="name what was counted")
    parser.add_argument("--root", type=Path, default=PROJECT, help="the checkout to measure")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
