"""What a script registers and needs, and its mistakes with their lines: read, never run."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pabal.apps.rules.scripts import metadata, repository
from pabal.apps.rules.scripts.metadata import BlockBroken, Needed
from pabal.apps.rules.scripts.model import Mistake, ScriptInfo

Function = ast.FunctionDef | ast.AsyncFunctionDef


def inspect_script(folder: Path, commit: str | None, script: str) -> ScriptInfo:
    """Of a commit, or of the folder as it is now. Raises ScriptUnusable where there is no such script."""
    snapshot = repository.take_snapshot(folder, commit)
    return inspect_text(repository.check_path(script), repository.read_script(snapshot, script))


def inspect_text(script: str, text: str) -> ScriptInfo:
    mistakes: list[Mistake] = []
    needed = _read_metadata(text, mistakes)
    names = tuple(_find_names(text, mistakes))
    return ScriptInfo(
        script=script,
        names=names,
        dependencies=needed.dependencies,
        requires_python=needed.requires_python,
        mistakes=tuple(sorted(mistakes, key=lambda one: one.line)),
    )


def _read_metadata(text: str, mistakes: list[Mistake]) -> Needed:
    try:
        return metadata.read(text.encode())
    except BlockBroken as broken:
        told = (f"Inline metadata: {broken.what}", f"인라인 메타데이터: {broken.what}")
        mistakes.append(Mistake(broken.line, "metadata_broken", told))
        return Needed()


def _find_names(text: str, mistakes: list[Mistake]) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        told = (f"Not valid Python: {error.args[0]}", f"올바른 파이썬 코드가 아닙니다: {error.args[0]}")
        mistakes.append(Mistake(line, "syntax", told))
        return
    seen: set[str] = set()
    for function, decorator in _list_rules(tree):
        name = _name_of(decorator)
        if name is None:
            mistakes.append(_mistake(decorator, "rule_name"))
            continue
        mistakes += _check_function(function)
        if name in seen:
            mistakes.append(_mistake(decorator, "rule_twice", name))
        seen.add(name)
        yield name
    if not seen and not mistakes:
        mistakes.append(_mistake(None, "no_rule"))


def _list_rules(tree: ast.Module) -> Iterator[tuple[Function, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(called) in ("rule", "pabal_rules.rule"):
                    yield node, decorator


def _name_of(decorator: ast.expr) -> str | None:
    match decorator:
        case ast.Call(args=[ast.Constant(value=str(name))], keywords=[]) if name:
            return name
        case ast.Call(args=[], keywords=[ast.keyword(arg="name", value=ast.Constant(value=str(name)))]) if name:
            return name
    return None


def _check_function(function: Function) -> Iterator[Mistake]:
    if isinstance(function, ast.FunctionDef):
        yield _mistake(function, "not_async", function.name)
    given = function.args
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    takes_two = required <= 2 and (len(given.posonlyargs) + len(given.args) >= 2 or given.vararg is not None)
    needs_names = any(default is None for default in given.kw_defaults)
    if not takes_two or needs_names:
        yield _mistake(function, "parameters", function.name)


_TEXTS = {
    "rule_name": (
        'A rule has its name as a text in brackets: @rule("stock/check_price").',
        '룰 이름을 괄호 안에 문자열로 적어야 합니다: @rule("stock/check_price").',
    ),
    "rule_twice": ("The name {fact} is registered twice.", "이름 {fact}이(가) 두 번 등록되었습니다."),
    "not_async": ('{fact} must be an async function: "async def".', '{fact}은(는) "async def" 함수여야 합니다.'),
    "parameters": ("{fact} must take (payload, context).", "{fact}은(는) (payload, context)를 받아야 합니다."),
    "no_rule": ("No function is registered with @rule.", "@rule로 등록한 함수가 없습니다."),
}


def _mistake(node: ast.expr | ast.stmt | None, code: str, fact: str = "") -> Mistake:
    english, korean = _TEXTS[code]
    return Mistake(1 if node is None else node.lineno, code, (english.format(fact=fact), korean.format(fact=fact)))
