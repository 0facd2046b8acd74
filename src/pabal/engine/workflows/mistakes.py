"""What is wrong with a workflow that somebody wrote: a stable code, where, and the line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pabal.base.errors import Invalid

Path = tuple[str | int, ...]

# The sentences, by code. The codes are public: programs and the planner act on them.
SENTENCES = {
    "yaml_invalid": "This is no YAML: {reason}.",
    "yaml_too_large": "A workflow is at most {most} characters long.",
    "yaml_too_deep": "A workflow is at most {most} levels deep, and has at most {nodes} values.",
    "yaml_alias": "Anchors and aliases are not allowed. Write the value out.",
    "yaml_duplicate_key": "{key} is written twice.",
    "yaml_tag": "Tags are not allowed: {tag}.",
    "not_an_object": "{field} must be a mapping of names to values.",
    "not_a_list": "{field} must be a list.",
    "unknown_field": "There is no field {field} here.",
    "missing_field": "{field} is missing.",
    "bad_type": "{field} must be {wanted}.",
    "bad_name": "{name} is no name: small letters, digits and _, at most 60, a letter first.",
    "duplicate_name": "Two steps are named {name}.",
    "no_steps": "A workflow has at least one step.",
    "too_many": "At most {most} {what}.",
    "bad_duration": "{field} is a duration such as 90s, 10m, 2h or 3d, at most {most}.",
    "bad_choice": "{field} must be one of {choices}.",
    "kind_or_wait": "A step has a kind or a wait, and not both.",
    "bad_wait": "A wait has exactly one of for, until, event and workflow; a key goes with an event only.",
    "secret_default": "{name} is a secret, so it has no default: whoever sees the workflow would see it.",
    "bad_event": "{name} is no name of an event, such as orders.paid.",
    "only_event": "{path} is not known before the run begins; what starts it can name event.… only.",
    "bad_condition": "The condition is wrong: {reason}.",
    "bad_kind": "{kind} is no kind of step: it is written area.name or area.name@version.",
    "unknown_kind": "There is no kind of step named {kind} here.",
    "unknown_version": "{kind} has no version {version} here; there is {known}.",
    "unknown_need": "There is no step named {name}.",
    "cycle": "These steps wait for each other: {names}.",
    "bad_reference": "{path} leads nowhere: write input.…, steps.<name>.…, or item in a step with for_each.",
    "not_needed_before": "{name} is not over before this step; add it to needs.",
    "unknown_input": "The workflow has no input named {name}.",
    "unknown_output": "{step} gives no {name}.",
    "item_outside": "item is there only in a step with for_each.",
    "missing_value": "{kind} needs {name}.",
    "unknown_value": "{kind} takes no {name}.",
    "bad_value": "{name} must be {wanted}.",
    "destination_from_outside": "{name} says where something goes; it may not come from {source}, whose words are "
    "from outside.",
    "nothing_to_compensate": "No step has a compensation, so on_error: compensate would do nothing.",
    "wait_has_no_compensation": "A wait leaves nothing to compensate.",
    "unknown_workflow": "There is no workflow named {name}.",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """`path` leads to the value in the data; `line` is there where it was written as YAML."""

    code: str
    path: Path = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None

    @property
    def text(self) -> str:
        return SENTENCES[self.code].format(**self.values)

    def as_data(self) -> dict[str, Any]:
        where = ".".join(map(str, self.path))
        return {"code": self.code, "path": where, "line": self.line, "text": self.text, "values": dict(self.values)}


class WorkflowRefused(Invalid, code="workflow_refused"):
    """The workflow cannot be used as it is. Every mistake is listed with its line."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        first = [f"line {one.line}: {one.text}" if one.line else one.text for one in self.mistakes[:5]]
        super().__init__("; ".join(first))
