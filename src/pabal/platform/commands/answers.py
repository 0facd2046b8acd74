"""Answer: what a command found, for people and for programs. The command line writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import STATUS, Words


@dataclass(frozen=True)
class Answer:
    """Rows of one kind. `columns` are those people see; programs get every field. `single`: there is exactly one;
    several are `under` that name in JSON, beside what is `extra`.

    `family` names the table of status words that `state` is of; without it the word is one of the engine's. An app
    brings its own `status`, and in `words` its columns (`title`) and codes (`cause.test`). `cells`, row by row, are
    what people see in the place of the rows; `families` are of columns whose values are status words.
    `fields` are what programs get, also where there is no row to tell.
    """

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    single: bool = False
    under: str = "items"
    extra: Mapping[str, Any] = field(default_factory=dict)
    empty: str | Pair | None = None
    family: str = ""
    status: Words = field(default_factory=lambda: STATUS)
    words: Mapping[str, Pair] = field(default_factory=dict)
    cells: Sequence[Mapping[str, Any]] | None = None
    fields: Sequence[str] = ()
    families: Mapping[str, str] = field(default_factory=dict)
