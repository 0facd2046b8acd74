"""A private PostgreSQL for those who bring none: made, started, kept alive, dumped. It knows no table of ours."""

from pabal.base.embedded.binaries import NoPostgres
from pabal.base.embedded.dumps import DumpFailed, NotEmpty, RestoreFailed, backup, read_dumped, restore
from pabal.base.embedded.place import FolderUnusable
from pabal.base.embedded.processes import NoAccount
from pabal.base.embedded.server import (
    Cluster,
    InitFailed,
    Keeper,
    StartFailed,
    StopFailed,
    ensure,
    find_running,
    remove,
    stop,
)

__all__ = [
    "Cluster",
    "DumpFailed",
    "FolderUnusable",
    "InitFailed",
    "Keeper",
    "NoAccount",
    "NoPostgres",
    "NotEmpty",
    "RestoreFailed",
    "StartFailed",
    "StopFailed",
    "backup",
    "ensure",
    "find_running",
    "read_dumped",
    "remove",
    "restore",
    "stop",
]
