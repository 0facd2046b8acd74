"""`pabal machines`: the machines of the apps loaded here."""

from tests.support.cli import Cli


def test_a_machine_is_drawn_as_mermaid(cli: Cli) -> None:
    drawn = cli("machines", "diagram", "kettle")

    assert drawn.out.startswith("stateDiagram-v2\n    [*] --> cold\n")
    assert "boiling --> cold : ⏰ click_off" in drawn.out


def test_machines_are_listed_and_an_unknown_one_is_not_found(cli: Cli) -> None:
    listed = cli("machines", "list", "-o", "json").json["items"]
    unknown = cli("machines", "diagram", "toaster")

    assert [one["name"] for one in listed] == [
        *("message_schedule", "delivery", "bot_device"),
        *("adgroup", "relay_conversation", "relay_message", "render"),
        *("rule", "rule_run", "heartbeat", "plan", "kettle"),
    ]
    assert unknown.code == 3
    assert "machine_unknown" in unknown.err
