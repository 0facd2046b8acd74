"""The resources of rules, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.rules.resources.rules import RULE
from pabal.apps.rules.resources.runs import EXECUTION

NOUNS = (RULE, EXECUTION)
