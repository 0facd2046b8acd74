"""What is refused says why beside each field."""

from pabal.platform.findings import FieldsRefused, Finding


def test_a_refusal_has_no_faults_until_an_edge_names_them_for_its_caller() -> None:
    said = Finding("empty", "title", ("It needs a title.", "제목이 필요합니다."))

    first, second = FieldsRefused([said]), FieldsRefused([said])
    first.faults = ["/title"]

    assert (list(first.faults), list(second.faults)) == (["/title"], [])
    assert first.findings == (said,)
