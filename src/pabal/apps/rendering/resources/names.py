"""Where the descriptions find what they name, and the words that several of them share."""

from collections.abc import Mapping
from typing import Literal, get_args

from pabal.platform.language.pairs import Pair

APP = "pabal.apps.rendering"
STATUS_WORDS = f"{APP}.labels:STATUS"
FINDING, READINGS = f"{APP}.cli.finding", f"{APP}.api.readings"
ROWS, VERBS = f"{APP}.resources.rows", f"{APP}.resources.verbs"
FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
WORKER_EXAMPLE = "7c0e3f5a-6a0e-5f0c-9b3a-2f1f0d8f7c11"
COMPOSITION_EXAMPLE = "mini-chip-count"
GFX_EXAMPLE = {
    "composition_name": "_MAIN Mini Chip Count",
    "slots": [{"slot_number": 1, "fields": {"name": "KIM MINJAE", "stack": "2,250,000"}}],
    "single_fields": {"table_id": "Table 1"},
}

PriorityWord = Literal["urgent", "high", "normal", "low"]
# in the order of the engine's `Priority`, which a command that only helps need not import
WORDS: tuple[PriorityWord, ...] = get_args(PriorityWord)
PRIORITIES: Mapping[str, Pair] = {
    "urgent": ("urgent", "긴급"),
    "high": ("high", "높음"),
    "normal": ("normal", "보통"),
    "low": ("low", "낮음"),
}
ON_AIR: Mapping[str, Pair] = {
    "safe": ("in time", "여유 있음"),
    "tight": ("tight", "빠듯함"),
    "missed": ("will be late", "늦을 듯"),
}


def priority_word(priority: int) -> str:
    return WORDS[priority]
