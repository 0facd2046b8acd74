"""Backups: taken daily, kept n days, and proven by bringing one back. Restoring is `pabal db restore`."""

from pabal.platform.backup.actions import back_up_now, check_now, list_backups, list_stray_files
from pabal.platform.backup.jobs import make_kinds
from pabal.platform.backup.model import AREA, Backup, BackupNotFound, BackupNotWhole, ScratchForbidden
from pabal.platform.backup.plan import CHECK, SETTINGS, SUBSCRIBER, TAKE, BadTimeOfDay, ensure_schedule
from pabal.platform.backup.store import find_newest_good, get_backup

__all__ = [
    "AREA",
    "CHECK",
    "SETTINGS",
    "SUBSCRIBER",
    "TAKE",
    "Backup",
    "BackupNotFound",
    "BackupNotWhole",
    "BadTimeOfDay",
    "ScratchForbidden",
    "back_up_now",
    "check_now",
    "ensure_schedule",
    "find_newest_good",
    "get_backup",
    "list_backups",
    "list_stray_files",
    "make_kinds",
]
