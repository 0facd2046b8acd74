"""An alert's machine is what the documentation draws."""

from pathlib import Path

from pabal.platform.alerts import ALERT, State

PAGE = Path(__file__).resolve().parents[3] / "docs" / "platform" / "alerts.md"


def test_the_diagram_in_the_documentation_is_the_machine() -> None:
    assert f"```mermaid\n{ALERT.diagram()}```" in PAGE.read_text(encoding="utf-8")


def test_nothing_leads_out_of_resolved() -> None:
    assert [move.event for move in ALERT.moves if State.RESOLVED in move.sources] == []
