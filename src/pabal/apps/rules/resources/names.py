"""Where the descriptions of rules find what they name, and the words that stand for states."""

from enum import StrEnum

APP = "pabal.apps.rules"
STATUS_WORDS = f"{APP}.labels:STATUS"
FINDING, READINGS, ROWS = f"{APP}.cli.finding", f"{APP}.api.readings", f"{APP}.resources.rows"
FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
RULE_EXAMPLE = "a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d"
RUN_EXAMPLE = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


class RunStatus(StrEnum):
    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"
