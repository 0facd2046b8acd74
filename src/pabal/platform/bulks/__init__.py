"""Bulks: any verb of a described resource that says so works on many rows at once, for every list and every face."""

from pabal.platform.bulks.actions import RUN, preview, start, undo
from pabal.platform.bulks.choosing import check_keys, clean_key, list_keys, make_order, show_key
from pabal.platform.bulks.jobs import finish, make_kinds
from pabal.platform.bulks.model import (
    AT_ONCE,
    LOOKED_AT,
    MOST,
    Bulk,
    BulkChanged,
    BulkNotFound,
    BulkRow,
    Ended,
    Hands,
    NothingChosen,
    Order,
    Preview,
)
from pabal.platform.bulks.store import find_request, forget_once, get_bulk, list_bulks, list_rows
from pabal.platform.resources.bulks import PREFIX

__all__ = [
    "AT_ONCE",
    "LOOKED_AT",
    "MOST",
    "PREFIX",
    "RUN",
    "Bulk",
    "BulkChanged",
    "BulkNotFound",
    "BulkRow",
    "Ended",
    "Hands",
    "NothingChosen",
    "Order",
    "Preview",
    "check_keys",
    "clean_key",
    "find_request",
    "finish",
    "forget_once",
    "get_bulk",
    "list_bulks",
    "list_keys",
    "list_rows",
    "make_kinds",
    "make_order",
    "preview",
    "show_key",
    "start",
    "undo",
]
