"""Who changed what, before and after, and from where: one row in the commit that changed it."""

from pabal.platform.audit.entries import Entry, Wanted, list_entries
from pabal.platform.audit.recording import record

__all__ = ["Entry", "Wanted", "list_entries", "record"]
