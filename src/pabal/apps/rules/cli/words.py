"""The next command after an error of `pabal rule`."""

from collections.abc import Mapping

_RULES, _NEW = "pabal rule list", "pabal rule new --help"
NEXT: Mapping[str, str] = {
    "bad_callback": _NEW,
    "bad_condition": _NEW,
    "bad_cron": _NEW,
    "bad_json": _NEW,
    "bad_script_path": _NEW,
    "move_not_allowed": "pabal rule show RULE",
    "name_ambiguous": "the same with its id",
    "nothing_to_do": _NEW,
    "rule_execution_ended": "pabal rule execution list",
    "rule_execution_not_found": "pabal rule execution list",
    "automation_rule_not_found": _RULES,
    "rule_refused": _NEW,
    "unknown_source": _NEW,
}
