"""Loads the named statements from the .sql file beside a module."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiosql.adapters.asyncpg import AsyncPGAdapter
from aiosql.query_loader import QueryLoader

_PARAMETER = re.compile(r"\$(\d+)")


@dataclass(frozen=True, slots=True)
class Statement:
    name: str
    text: str
    parameters: tuple[str, ...]

    def arguments(self, given: dict[str, Any]) -> list[Any]:
        """The values in the order of `$1, $2, …`; a missing or unknown name is a mistake of ours and raises."""
        if len(given) != len(self.parameters):
            raise TypeError(f"{self.name} takes {self.parameters}, got {tuple(given)}")
        return [given[name] for name in self.parameters]

    def put(self, word: str, part: "Statement") -> "Statement":
        """With another one's text in place of a word, and its parameters behind its own."""
        behind = len(self.parameters)
        text = _PARAMETER.sub(lambda found: f"${int(found[1]) + behind}", part.text.strip().removesuffix(";"))
        parameters = (*self.parameters, *part.parameters)
        return Statement(f"{self.name} {part.name}", self.text.replace(word, text), parameters)


class Statements:
    """The statements of one file, each an attribute: `SQL.list_jobs`."""

    def __init__(self, path: Path) -> None:
        adapter = AsyncPGAdapter()
        for query in QueryLoader(adapter, None).load_query_data_from_file(path):
            name = query.query_name
            setattr(self, name, Statement(name, query.sql, tuple(adapter.var_sorted[name])))

    def __getattr__(self, name: str) -> Statement:
        raise AttributeError(f"no statement named {name}")


def load(module_file: str) -> Statements:
    """Called as `SQL = load(__file__)`: queue.py reads queue.sql."""
    return Statements(Path(module_file).with_suffix(".sql"))
