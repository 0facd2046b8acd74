"""Compositions and mappings as CSV or JSON, in and out. Every mistake of an import is named with its line. Pure.

A CSV holds one or both tables, each below its own header, so that the rows of `aep_field_mapping` alone are a file too.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

from pabal.apps.rendering.model.compositions import (
    KINDS,
    OUTPUT_MODULE,
    SOURCE_TEXT,
    Composition,
    FieldMapping,
    Kind,
    is_flag_path_template,
    is_template_path,
    read_field_name,
)
from pabal.apps.rendering.model.findings import find_in_line
from pabal.apps.rendering.model.texts import is_one_line, whole_number
from pabal.platform.findings import Finding
from pabal.platform.spreadsheets import defuse, write_csv

Table = Literal["compositions", "mappings"]
COLUMNS: Mapping[Table, tuple[str, ...]] = {
    "compositions": tuple(one.name for one in fields(Composition)),
    "mappings": tuple(one.name for one in fields(FieldMapping)),
}
REQUIRED: Mapping[Table, tuple[str, ...]] = {
    "compositions": ("id", "name", "template_src"),
    "mappings": ("composition_id", "field_name", "layer_name"),
}
LONGEST_NAME = 200
LONGEST_PATH = 1_000
LONGEST_TEXT_LIMIT = 5_000
LARGEST_SIDE = 16_384
LONGEST_SECONDS = 86_400
_EXTENSION = re.compile(r"[A-Za-z0-9]{1,8}")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')


@dataclass(frozen=True, slots=True)
class Imported:
    """What could be read, and what is wrong with the rest: save it only if nothing is."""

    compositions: tuple[Composition, ...]
    mappings: tuple[FieldMapping, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    table: Table
    cells: Mapping[str, Any]


class _JsonObject(dict[str, Any]):
    """Remembers the names that were given twice, of which JSON keeps the last."""

    twice: tuple[str, ...] = ()


def read_csv(text: str, *, known: Collection[str] = ()) -> Imported:
    """`known` are the ids of compositions that are there already: mappings may be for them too."""
    findings: list[Finding] = []
    return _check(list(_csv_rows(text.removeprefix("\ufeff"), findings)), findings, known)


def read_json(text: str, *, known: Collection[str] = ()) -> Imported:
    """An object with `compositions` and `mappings`, or only a list of mappings."""
    findings: list[Finding] = []
    return _check(_json_rows(text.removeprefix("\ufeff"), findings), findings, known)


def to_csv(compositions: Sequence[Composition], mappings: Sequence[FieldMapping]) -> str:
    """A table of which there is nothing is left out; if that is both, their headers are a form to fill in."""
    content: dict[Table, Sequence[Any]] = {"compositions": compositions, "mappings": mappings}
    tables = [
        write_csv([COLUMNS[table], *([_cell(getattr(row, name)) for name in COLUMNS[table]] for row in rows)])
        for table, rows in content.items()
        if rows or not (compositions or mappings)
    ]
    return "\r\n".join(tables)


def to_json(compositions: Sequence[Composition], mappings: Sequence[FieldMapping]) -> str:
    content: dict[Table, Sequence[Any]] = {"compositions": compositions, "mappings": mappings}
    whole = {
        table: [{name: _json_value(getattr(row, name)) for name in COLUMNS[table]} for row in rows]
        for table, rows in content.items()
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def _csv_rows(text: str, findings: list[Finding]) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: tuple[Table, list[str]] | None = None
    is_lost = False
    for line, cells in _csv_lines(reader, findings):
        table = _table_of(cells)
        if table is not None:
            header = _read_header(table, cells, line, findings)
            is_lost = header is None
        elif header is None:
            if not is_lost:
                findings.append(_unknown_header(line))
            is_lost = True
        elif len(cells) > len(header[1]):
            findings.append(find_in_line("too_many_cells", line))
        else:
            yield _Row(line, header[0], dict(zip(header[1], cells, strict=False)))


def _csv_lines(reader: Any, findings: list[Finding]) -> Iterator[tuple[int, list[str]]]:
    """With the line each begins in; without blank ones and without the blank cells at the end that spreadsheets add."""
    line = 1
    is_empty = True
    try:
        for record in reader:
            cells = [_undo_defuse(cell.strip()) for cell in record]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                is_empty = False
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        findings.append(find_in_line("csv_unreadable", line, reason=str(error)))
    else:
        if is_empty:
            findings.append(find_in_line("import_empty", 1))


def _table_of(cells: Sequence[str]) -> Table | None:
    """The table this is a header of: two of its required columns are in it, and no content."""
    if any(read_field_name(cell) is not None or is_template_path(cell) for cell in cells):
        return None
    names = {cell.lower() for cell in cells}
    return next((table for table, required in REQUIRED.items() if len(names & set(required)) >= 2), None)


def _read_header(
    table: Table, cells: Sequence[str], line: int, findings: list[Finding]
) -> tuple[Table, list[str]] | None:
    """None where a column is missing: every row below would be found wrong for the same reason."""
    names = [cell.lower() for cell in cells]
    missing = [name for name in REQUIRED[table] if name not in names]
    findings += _columns_wrong(table, names, line)
    findings += [find_in_line("column_twice", line, name, column=name) for name in _repeated(names)]
    findings += [find_in_line("column_missing", line, name, column=name) for name in missing]
    return None if missing else (table, names)


def _columns_wrong(table: Table, names: Sequence[str], line: int) -> Iterator[Finding]:
    known = ", ".join(COLUMNS[table])
    for name in names:
        if name not in COLUMNS[table]:
            yield find_in_line("column_unknown", line, name, column=name, known=known)


def _unknown_header(line: int) -> Finding:
    needed = {table: ", ".join(names) for table, names in REQUIRED.items()}
    return find_in_line("header_unknown", line, compositions=needed["compositions"], fields=needed["mappings"])


def _json_rows(text: str, findings: list[Finding]) -> list[_Row]:
    if not text.strip():
        findings.append(find_in_line("import_empty", 1))
        return []
    try:
        whole = json.loads(text, object_pairs_hook=_json_object)
    except json.JSONDecodeError as error:
        findings.append(find_in_line("json_unreadable", error.lineno, reason=error.msg))
        return []
    except (RecursionError, ValueError) as error:
        findings.append(find_in_line("json_unreadable", 1, reason=str(error)[:100]))
        return []
    content = _JsonObject(mappings=whole) if isinstance(whole, list) else whole
    if not _is_shaped(content):
        findings.append(find_in_line("json_shape", 1))
        return []
    lines = _lines_of_rows(text)
    rows = [
        _Row(line, table, row)
        for table in COLUMNS
        for line, row in zip(lines[table], content.get(table, []), strict=True)
    ]
    for row in rows:
        findings += _names_wrong(row)
    return rows


def _json_object(pairs: list[tuple[str, Any]]) -> _JsonObject:
    content = _JsonObject(pairs)
    content.twice = _repeated([name for name, _ in pairs])
    return content


def _repeated(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name, count in Counter(names).items() if count > 1)


def _is_shaped(content: object) -> bool:
    if not isinstance(content, _JsonObject) or content.twice or not set(content) <= set(COLUMNS) or not content:
        return False
    return all(isinstance(rows, list) and all(isinstance(row, dict) for row in rows) for rows in content.values())


def _names_wrong(row: _Row) -> Iterator[Finding]:
    yield from _columns_wrong(row.table, list(row.cells), row.line)
    for name in cast(_JsonObject, row.cells).twice:
        yield find_in_line("column_twice", row.line, name, column=name)


def _lines_of_rows(text: str) -> dict[Table, list[int]]:
    """The line each row begins in. The text is known to be JSON of our shape: rows are the objects in the lists."""
    lines: dict[Table, list[int]] = {"compositions": [], "mappings": []}
    table: Table = "mappings"
    depth, line, seen = 0, 1, 0
    row_depth = 1 if text.lstrip().startswith("[") else 2
    for token in _JSON_TOKEN.finditer(text):
        sign = token[0]
        line, seen = line + text.count("\n", seen, token.start()), token.start()
        if sign[0] == '"' and depth == row_depth - 1 == 1:
            table = cast(Table, json.loads(sign))
        elif sign == "{" and depth == row_depth:
            lines[table].append(line)
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(sign, 0)
    return lines


def _check(rows: Sequence[_Row], findings: list[Finding], known: Collection[str]) -> Imported:
    compositions = tuple(_compositions(rows, findings))
    # a composition with a mistake in it is there: its mappings are not wrong for that
    named = {*known, *(str(row.cells.get("id", "")).strip() for row in rows if row.table == "compositions")}
    mappings = tuple(_mappings(rows, named, findings))
    ordered = sorted(findings, key=lambda one: int(one.field.split("/")[1]))
    return Imported(compositions, mappings, tuple(ordered))


def _compositions(rows: Sequence[_Row], findings: list[Finding]) -> Iterator[Composition]:
    seen: dict[str, _Row] = {}
    for row in rows:
        one = _Cells(row, findings).composition() if row.table == "compositions" else None
        if one is None:
            continue
        first = seen.setdefault(one.id, row)
        if first is row:
            yield one
        else:
            findings.append(find_in_line("composition_twice", row.line, "id", id=one.id, first=first.line))


def _mappings(rows: Sequence[_Row], named: Collection[str], findings: list[Finding]) -> Iterator[FieldMapping]:
    fields_seen: dict[tuple[str, str], _Row] = {}
    layers_seen: dict[tuple[str, str, str], _Row] = {}
    for row in rows:
        one = _Cells(row, findings).mapping() if row.table == "mappings" else None
        if one is None:
            continue
        first = fields_seen.setdefault((one.composition_id, one.field_name), row)
        place = (one.composition_id, one.layer_name, "" if one.kind == "image" else one.property)
        first_of_layer = layers_seen.setdefault(place, row)
        wrong = [
            *_unless(one.composition_id in named, row, one, "composition_unknown", "composition_id", row),
            *_unless(first is row, row, one, "mapping_twice", "field_name", first),
            *_unless(first_of_layer is row or first is not row, row, one, "layer_twice", "layer_name", first_of_layer),
        ]
        findings += wrong
        if not wrong:
            yield one


def _unless(holds: bool, row: _Row, one: FieldMapping, code: str, column: str, first: _Row) -> Iterator[Finding]:
    if not holds:
        values = {"id": one.composition_id, "field": one.field_name, "layer": one.layer_name, "property": one.property}
        yield find_in_line(code, row.line, column, **values, first=first.line)


class _Cells:
    """The cells of one row, read one by one. A row with anything wrong in it becomes nothing."""

    def __init__(self, row: _Row, findings: list[Finding]) -> None:
        self._row, self._findings, self._wrong = row, findings, 0

    def composition(self) -> Composition | None:
        found = Composition(
            id=self._text("id"),
            name=self._text("name"),
            template_src=self._template_src(),
            output_module=self._text("output_module", OUTPUT_MODULE),
            output_ext=self._output_ext(),
            width=self._whole("width", 1920),
            height=self._whole("height", 1080),
            codec=self._text("codec", "h264"),
            duration_seconds=self._seconds("duration_seconds"),
            duration_tolerance=self._seconds("duration_tolerance"),
            flag_path_template=self._flag_path_template(),
            text_limits=self._text_limits(),
        )
        return None if self._wrong else found

    def mapping(self) -> FieldMapping | None:
        composition_id, layer = self._text("composition_id"), self._text("layer_name")
        given = self._text("field_name")
        name = read_field_name(given)
        if given and name is None:
            self._refuse("bad_field_name", "field_name", value=given)
        is_flag = name is not None and name.part == "flag"
        kind = self._text("kind", "image" if is_flag else "text").lower()
        if kind not in KINDS or (is_flag and kind != "image"):
            self._refuse("bad_kind", "kind", value=kind)
        prop = self._text("property", SOURCE_TEXT)
        if self._wrong or name is None:
            return None
        return FieldMapping(composition_id, name.key, layer, cast(Kind, kind), prop)

    def _text(self, column: str, otherwise: str | None = None, most: int = LONGEST_NAME) -> str:
        value = self._row.cells.get(column)
        # ids are numbers in some databases
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if text is not None and not (isinstance(text, str) and is_one_line(text.strip())):
            return self._refuse("cell_not_text", column, column=column)
        text = (text or "").strip()
        if not text:
            return self._refuse("cell_missing", column, column=column) if otherwise is None else otherwise
        return text if len(text) <= most else self._refuse("cell_too_long", column, column=column, most=most)

    def _template_src(self) -> str:
        path = self._text("template_src", most=LONGEST_PATH)
        if path and not is_template_path(path):
            self._refuse("bad_template_src", "template_src", value=path)
        return path

    def _output_ext(self) -> str:
        extension = self._text("output_ext", "mp4")
        return (
            extension
            if _EXTENSION.fullmatch(extension)
            else self._refuse("bad_output_ext", "output_ext", value=extension)
        )

    def _flag_path_template(self) -> str | None:
        template = self._text("flag_path_template", "", most=LONGEST_PATH)
        if template and not is_flag_path_template(template):
            self._refuse("bad_flag_path_template", "flag_path_template", value=template)
        return template or None

    def _whole(self, column: str, otherwise: int) -> int:
        value = self._row.cells.get(column)
        number = otherwise if value in (None, "") else whole_number(value)
        if number is not None and 1 <= number <= LARGEST_SIDE:
            return number
        self._refuse_number(column, f"a whole number from 1 to {LARGEST_SIDE}", f"1부터 {LARGEST_SIDE}까지의 정수")
        return otherwise

    def _seconds(self, column: str) -> float | None:
        value = self._row.cells.get(column)
        if value in (None, ""):
            return None
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if 0 <= number <= LONGEST_SECONDS:
            return number
        self._refuse_number(column, f"seconds from 0 to {LONGEST_SECONDS}", f"0부터 {LONGEST_SECONDS}까지의 초")
        return None

    def _text_limits(self) -> dict[str, int]:
        value = self._row.cells.get("text_limits")
        limits = _limits(value) if value not in (None, "") else {}
        if limits is None:
            self._refuse("bad_text_limits", "text_limits", value=str(value)[:LONGEST_NAME])
        return limits or {}

    def _refuse_number(self, column: str, needed: str, needed_ko: str) -> None:
        value = str(self._row.cells.get(column))[:40]
        self._refuse("bad_number_in_cell", column, column=column, value=value, needed=needed, needed_ko=needed_ko)

    def _refuse(self, code: str, place: str, /, **values: Any) -> str:
        self._wrong += 1
        self._findings.append(find_in_line(code, self._row.line, place, **values))
        return ""


def _limits(value: object) -> dict[str, int] | None:
    """name=24; Single - pot=12, or an object of them. None if any part of it cannot be read."""
    if isinstance(value, str):
        parts = [part.rpartition("=") for part in value.split(";") if part.strip()]
        pairs: list[tuple[str, Any]] = [(name, number) for name, _, number in parts]
    elif isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        return None
    limits: dict[str, int] = {}
    for given, limit in pairs:
        name, number = _limited_field(given), whole_number(limit)
        if not name or name in limits or number is None or not 1 <= number <= LONGEST_TEXT_LIMIT:
            return None
        limits[name] = number
    return limits


def _limited_field(given: str) -> str:
    name = read_field_name(given)
    text = name.key if name is not None else given.strip()
    return text if is_one_line(text) and not {";", "="} & set(text) and len(text) <= LONGEST_NAME else ""


def _cell(value: Any) -> Any:
    """An apostrophe in front is what marks a text as no formula, so one that is part of the text is doubled."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}={limit}" for name, limit in value.items())
    return f"'{value}" if isinstance(value, str) and value.startswith("'") else value


def _undo_defuse(cell: str) -> str:
    rest = cell[1:]
    return rest if cell.startswith("'") and (rest.startswith("'") or defuse(rest) != rest) else cell


def _json_value(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
