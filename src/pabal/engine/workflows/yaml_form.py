"""A workflow written as YAML: read safely, with the line of every value, and written so that it reads the same again.

YAML 1.2's core: `no` is a word and `1:30` no number. No anchors, no tags, nothing is constructed but plain values.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from pabal.engine.workflows import forms
from pabal.engine.workflows.mistakes import Mistake, Path
from pabal.engine.workflows.model import Workflow

LARGEST = 200_000
DEEPEST, MOST_NODES = 20, 20_000
_CORE = {
    "tag:yaml.org,2002:null": (re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    "tag:yaml.org,2002:bool": (re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")),
    "tag:yaml.org,2002:int": (re.compile(r"[-+]?[0-9]+$"), list("-+0123456789")),
    "tag:yaml.org,2002:float": (
        re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"),
        list("-+.0123456789"),
    ),
}
_STR, _SEQ, _MAP = "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"
Lines = dict[Path, int]


@dataclass(frozen=True)
class Written:
    """What was written, as data, with the line of every value; and what is wrong with the YAML itself."""

    data: Any
    lines: Lines = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()

    def at_lines(self, mistakes: list[Mistake]) -> list[Mistake]:
        """The same, each with the line of its value, or of the nearest value around it; in the order of lines."""
        found = [Mistake(one.code, one.path, one.values, self._line(one.path)) for one in mistakes]
        return sorted(found, key=lambda one: one.line or 0)

    def _line(self, path: Path) -> int:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_text(text: str) -> Written:
    """Never raises: what cannot be read is a mistake with its line."""
    if len(text) > LARGEST:
        return Written(None, mistakes=(Mistake("yaml_too_large", (), {"most": LARGEST}, 1),))
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = (error.problem or "cannot be read").replace("\n", " ")
        return Written(None, mistakes=(Mistake("yaml_invalid", (), {"reason": reason}, mark.line + 1 if mark else 1),))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        return Written(None, mistakes=(Mistake("yaml_invalid", (), {"reason": reason}, 1),))
    walk = _Walk()
    data = None if node is None else walk.value(node, (), 1)
    return Written(data, walk.lines, tuple(walk.mistakes))


def read_workflow(text: str) -> tuple[Workflow | None, Written, list[Mistake]]:
    """The workflow, what was written, and every mistake of form at its line."""
    written = read_text(text)
    if written.mistakes:
        return None, written, list(written.mistakes)
    workflow, mistakes = forms.read(written.data)
    return workflow, written, written.at_lines(mistakes)


def show_workflow(workflow: Workflow) -> str:
    return show_data(forms.as_data(workflow))


def show_data(data: Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110, indent=2)


class _Loader(yaml.SafeLoader):
    pass


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand two further in than their name, as people write them."""
        super().increase_indent(flow, False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(_STR, text, style="|" if "\n" in text.strip("\n") else None)


# one list of what a plain word may mean, for reading and for writing
for _each in (_Loader, _Dumper):
    _each.yaml_implicit_resolvers = {}
    for _tag, (_pattern, _first) in _CORE.items():
        _each.add_implicit_resolver(_tag, _pattern, _first)
_Dumper.add_representer(str, _represent_text)


@dataclass
class _Walk:
    lines: Lines = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    is_over: bool = False

    def value(self, node: yaml.Node, at: Path, depth: int) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(at, line)
        if self.is_over:
            return None
        if depth > DEEPEST or len(self.seen) >= MOST_NODES:
            self.is_over = True
            return self._mistake("yaml_too_deep", at, line, most=DEEPEST, nodes=MOST_NODES)
        if id(node) in self.seen:
            # an alias stands where its name is; the node itself is where the anchor was
            return self._mistake("yaml_alias", at, self.lines[at])
        self.seen.add(id(node))
        if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
            return self._mapping(node, at, depth)
        if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
            return [self.value(inner, (*at, number), depth + 1) for number, inner in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and (node.tag == _STR or node.tag in _CORE):
            return _scalar(node)
        return self._mistake("yaml_tag", at, line, tag=node.tag)

    def _mapping(self, node: yaml.MappingNode, at: Path, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, inner in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else str(key.tag)
            line = key.start_mark.line + 1
            if name in found:
                self._mistake("yaml_duplicate_key", (*at, name), line, key=name)
                continue
            self.lines[*at, name] = line
            found[name] = self.value(inner, (*at, name), depth + 1)
        return found

    def _mistake(self, code: str, at: Path, line: int, **values: Any) -> None:
        self.mistakes.append(Mistake(code, at, values, line))


def _scalar(node: yaml.ScalarNode) -> Any:
    text = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return int(text) if len(text) <= 100 else text
        case "float":
            return float(text)
        case _:
            return text
