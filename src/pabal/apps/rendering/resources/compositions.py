"""Compositions and `aep_field_mapping`: which field goes into which layer; imported, exported, tried."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.apps.rendering.model.compositions import FieldMapping
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.resources.names import (
    COMPOSITION_EXAMPLE,
    FIND_UNIT,
    FINDING,
    GFX_EXAMPLE,
    READINGS,
    ROWS,
    VERBS,
)
from pabal.platform.findings import FindingView, view_finding
from pabal.platform.language.pairs import Pair
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.apps.rendering.resources.verbs import ImportedRows, TestRun
    from pabal.apps.rendering.store.compositions import CompositionRow

FileFormat = Literal["csv", "json"]
KIND_WORDS: dict[str, Pair] = {
    "text": ("text", "글"),
    "image": ("picture", "그림"),
    "expression": ("expression", "표현식"),
}


class CompositionView(View):
    """What can be rendered, and how the result must look. `template_src` is a path as the worker sees it, or below its
    folder of templates."""

    id: str = field(("ID", "ID"), example=COMPOSITION_EXAMPLE)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Composition", "컴포지션"), example="_MAIN Mini Chip Count")
    template_src: str = field(("Template", "템플릿"), example="chip_counts.aep")
    output_module: str = field(("Output module", "출력 모듈"), example="H.264 - Match Render Settings - 15 Mbps")
    output_ext: str = field(("File type", "파일 형식"), example="mp4")
    width: int = field(("Width", "너비"), example=1920)
    height: int = field(("Height", "높이"), example=1080)
    codec: str = field(("Codec", "코덱"), example="h264")
    duration_seconds: float | None = field(("Length (s)", "길이(초)"), example=12.0)
    duration_tolerance: float | None = field(("Tolerance (s)", "허용 오차(초)"), example=0.5)
    flag_path_template: str | None = field(("Flags", "국기 경로"), example="flags/{country}.png")
    text_limits: dict[str, int] = field(("Text limits", "글자 수 제한"), example={"name": 18})
    field_count: int = field(("Fields", "항목 수"), example=12)
    updated_at: datetime = field(("Changed", "바뀐 때"))


class FieldMappingView(View):
    """A row of `aep_field_mapping`. `field_name` is the composed key: "Slot 1 - name", "Single - pot", "Flag 1"."""

    composition_id: str = field(("Composition ID", "컴포지션 ID"), example=COMPOSITION_EXAMPLE)
    field_name: str = field(("Field", "항목"), example="Slot 1 - name")
    layer_name: str = field(("Layer", "레이어"), example="Name 1")
    kind: str = field(("Kind", "종류"), words=KIND_WORDS, example="text")
    property: str = field(("Property", "속성"), example="Source Text")


class ImportedMappingsView(View):
    """What a file held."""

    compositions: int = field(("Compositions", "컴포지션"), example=26)
    mappings: int = field(("Fields", "항목 수"), example=84)
    ids: list[str] = field(("Composition IDs", "컴포지션 ID"), example=[COMPOSITION_EXAMPLE])


class MappingTestView(View):
    """What a render of this data would send to nexrender. `findings` would stop it, `warnings` would not."""

    composition_id: str = field(("Composition ID", "컴포지션 ID"), example=COMPOSITION_EXAMPLE)
    is_sample: bool = field(("Sample data", "샘플 데이터"), example=True)
    used: list[str] = field(("Used", "연결됨"), example=["Slot 1 - name"])
    unmapped: list[str] = field(("No layer", "레이어 없음"), example=[])
    unused: list[str] = field(("No data", "데이터 없음"), example=[])
    empty: list[str] = field(("Empty", "빈 값"), example=[])
    findings: list[FindingView] = field(("Wrong", "문제"))
    warnings: list[FindingView] = field(("Warnings", "확인할 점"))
    job: dict[str, Any] = field(("nexrender job", "nexrender 작업"), example={"template": {}, "assets": []})


def view_composition(row: "CompositionRow", viewer: Viewer) -> CompositionView:
    return CompositionView.of(row, field_count=row.fields)


def view_mapping(mapping: FieldMapping, viewer: Viewer) -> FieldMappingView:
    return FieldMappingView.of(mapping, kind=str(mapping.kind))


def view_imported(made: "ImportedRows", viewer: Viewer) -> ImportedMappingsView:
    ids = [row.id for row in made.rows]
    return ImportedMappingsView(compositions=made.compositions, mappings=made.mappings, ids=ids)


def view_test(run: "TestRun", viewer: Viewer) -> MappingTestView:
    report = run.assigned.report
    return MappingTestView(
        composition_id=run.row.id,
        is_sample=run.is_sample,
        used=list(report.used),
        unmapped=list(report.unmapped),
        unused=list(report.unused),
        empty=list(report.empty),
        findings=[view_finding(one, viewer.lang) for one in run.findings],
        warnings=[view_finding(one, viewer.lang) for one in run.warnings],
        job=run.job,
    )


class CompositionFilter(Filter):
    q: str | None = ask("A part of its name or id.", option="--find", default=None)


class MappingFilter(Filter):
    composition: str | None = ask("Only of this composition.", example=COMPOSITION_EXAMPLE, default=None)


class MappingsToImport(Ask):
    """`content` is the file: CSV with one or both tables, or JSON with `compositions` and `mappings`. A composition's
    mappings are replaced by those of the file."""

    format: FileFormat = ask("How it is written.", example="csv")
    content: str = ask(
        "The file.",
        read=f"{READINGS}:FileContent",
        example="composition_id,field_name,layer_name\nmini-chip-count,Slot 1 - name,Name 1\n",
    )
    unit_id: int | None = ask(
        "Whose new compositions are; your own if left out.",
        option="--org",
        metavar="UNIT",
        find=FIND_UNIT,
        rules=ROW_ID,
        example=3,
        default=None,
    )


class MappingToTest(Ask):
    """Without data, with the sample data of a sample composition."""

    gfx_data: dict[str, Any] | None = ask(
        "What it would show.",
        read=f"{READINGS}:OptionalGfxData",
        find=f"{FINDING}:read_gfx",
        option="--data",
        metavar="FILE",
        example=GFX_EXAMPLE,
        default=None,
    )


_COLUMNS = (
    "id",
    "name",
    "template_src",
    "width",
    "height",
    "codec",
    "duration_seconds",
    "field_count",
    "unit_id",
    "updated_at",
)
COMPOSITION = Noun(
    "composition",
    "compositions",
    AREA,
    CompositionView,
    view=f"{__name__}:view_composition",
    find=f"{ROWS}:get_composition",
    hold="pabal.apps.rendering.store.compositions:hold_composition",
    named=f"{FINDING}:find_composition",
    reads_key=f"{READINGS}:CompositionId",
    columns=(
        *_COLUMNS,
        *("output_module", "output_ext", "duration_tolerance", "flag_path_template", "text_limits"),
    ),
    which="Its id, or its exact name.",
    get_help="Shows one composition.",
)
COMPOSITION.lists(
    "list_compositions",
    "Lists what can be rendered.",
    f"{ROWS}:list_compositions",
    columns=_COLUMNS,
    empty=(
        "No compositions. Example: pabal render mapping import FILE",
        "컴포지션이 없습니다. 예: pabal render mapping import 파일",
    ),
    wanted=CompositionFilter,
)
# a command reads the file from this machine
COMPOSITION.verb(
    "import",
    f"{VERBS}:import_mappings",
    "Takes in compositions and their mappings, all of the file or nothing; `dry_run` only checks it.",
    MappingsToImport,
    makes=True,
    operation="import_field_mappings",
    path="/compositions/import",
    shows=ImportedMappingsView,
    view=f"{__name__}:view_imported",
    in_commands=False,
)
COMPOSITION.verb(
    "test",
    f"{VERBS}:try_mapping",
    "Says what a render of some data would send to nexrender, and everything that is wrong. Nothing is rendered.",
    MappingToTest,
    shows=MappingTestView,
    view=f"{__name__}:view_test",
    in_commands=False,
)
COMPOSITION.verb(
    "remove",
    f"{VERBS}:remove_composition",
    "Removes a composition with its mappings. Renders of it that are under way go on.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Remove composition {which} with its mappings?", "컴포지션 {which}과(와) 매핑을 지울까요?"),
)
COMPOSITION.verb(
    "clear_cache",
    f"{VERBS}:clear_cache",
    "Lets every worker read compositions and mappings again.",
    makes=True,
    operation="clear_template_cache",
    path="/cache/clear",
    answers_nothing=True,
    in_commands=False,
)

MAPPING = Noun(
    "mapping",
    "mappings",
    AREA,
    FieldMappingView,
    view=f"{__name__}:view_mapping",
    called="field_mapping",
)
MAPPING.lists(
    "list_field_mappings",
    "Lists which field goes into which layer: `aep_field_mapping`.",
    f"{ROWS}:list_mappings",
    columns=("composition_id", "field_name", "layer_name", "kind", "property"),
    empty=(
        "No mappings. Example: pabal render mapping import FILE",
        "매핑이 없습니다. 예: pabal render mapping import 파일",
    ),
    wanted=MappingFilter,
)
