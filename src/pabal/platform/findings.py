"""What is wrong with a field, or worth knowing of it: the same on every face. A sentence in both languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pabal.base.errors import Invalid, PabalError
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.resources.views import View, field


@dataclass(frozen=True, slots=True)
class Finding:
    """`field` is named as REST names it. `code` is stable, for programs."""

    code: str
    field: str
    text: Pair


class FindingView(View):
    """`pointer` is the field it is about; `code` is stable, the sentence follows the reader's language."""

    pointer: str = field(("Field", "항목"), example="/schedule_time")
    code: str = field(("Code", "코드"), example="room_busy")
    detail: str = field(
        ("Finding", "내용"), example="'점심 공지' sends to this room at 09:00. This one goes out 30 s later."
    )


class FieldsRefused(Invalid, code="fields_refused"):
    """It cannot be saved as it is. What is wrong is said beside each field."""

    # an edge's to say, where the caller has other names for the fields: as REST answers them, as a command calls them
    faults: Sequence[object] = ()
    options: Mapping[str, str] = MappingProxyType({})

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{one.field}: {one.text[0]}" for one in self.findings))


def find_wrong(error: PabalError, field: str = "") -> Finding:
    """What an error says, at the field it is about."""
    return Finding(error.code, field, (explain(error, "en"), explain(error, "ko")))


def texts_by_field(findings: Sequence[Finding]) -> dict[str, Pair]:
    """The first of each field, as forms show them."""
    found: dict[str, Pair] = {}
    for one in findings:
        found.setdefault(one.field, one.text)
    return found


def view_finding(finding: Finding, lang: Lang) -> FindingView:
    return FindingView(pointer=f"/{finding.field}", code=finding.code, detail=put(lang, finding.text))
