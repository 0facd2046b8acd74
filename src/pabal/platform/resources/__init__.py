"""Resources: what a thing is called, shown, listed, asked for and done with, described once for every face.

Nothing here knows the web framework or the command line: `platform.web.rest` and `platform.commands.resources` read
these descriptions, and so the two cannot disagree. Importing a description imports no action and no store.
"""

from pabal.platform.resources.asks import (
    KEPT,
    ROW_ID,
    Ask,
    BadParameter,
    Filter,
    Kept,
    Rules,
    ask,
    case,
    chosen,
    edit_of,
    read_plain,
)
from pabal.platform.resources.names import find_name
from pabal.platform.resources.nouns import Listing, Many, Noun, Report, Verb
from pabal.platform.resources.views import View, Viewer, column, columns_of, field, plain, plain_json

__all__ = [
    "KEPT",
    "ROW_ID",
    "Ask",
    "BadParameter",
    "Filter",
    "Kept",
    "Listing",
    "Many",
    "Noun",
    "Report",
    "Rules",
    "Verb",
    "View",
    "Viewer",
    "ask",
    "case",
    "chosen",
    "column",
    "columns_of",
    "edit_of",
    "field",
    "find_name",
    "plain",
    "plain_json",
    "read_plain",
]
