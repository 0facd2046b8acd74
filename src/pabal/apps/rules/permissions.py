"""What a rule lets its script reach: what the rule asks for, held against what the server's owner allows at all."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from pabal.apps.rules.model.rules import RuleForm
from pabal.apps.rules.scripts import Allows
from pabal.apps.rules.startup import RulesStartup
from pabal.base.settings import split_list

NETWORK = "network"
MOST_FOLDERS = 20
LONGEST_FOLDER = 500


@dataclass(frozen=True, slots=True)
class ScriptCeiling:
    """The most that any rule of this server may allow. `write` can be read as well."""

    network: bool = False
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()

    @classmethod
    def of(cls, startup: RulesStartup) -> "ScriptCeiling":
        read, write = split_list(startup.script_folders), split_list(startup.script_write_folders)
        return cls(startup.script_network, tuple(read), tuple(write))

    def list_refused(self, wanted: Allows) -> list[str]:
        """What goes beyond it: `network`, or a folder."""
        return [
            *([NETWORK] if wanted.network and not self.network else []),
            *(one for one in wanted.files if not _is_below(one, (*self.read, *self.write))),
            *(one for one in wanted.write if not _is_below(one, self.write)),
        ]


def is_folder(path: object) -> bool:
    """A whole path without detours, and not the root."""
    if not isinstance(path, str) or not 2 <= len(path) <= LONGEST_FOLDER or "\0" in path:
        return False
    return path.startswith("/") and bool(path.strip("/")) and os.path.normpath(path) == path.rstrip("/")


def allows_of(form: RuleForm) -> Allows:
    return Allows(form.allow_network, tuple(form.read_folders), tuple(form.write_folders))


def _is_below(folder: str, allowed: Iterable[str]) -> bool:
    """Where links lead, not what they are called: a link below an allowed folder may point anywhere."""
    real = os.path.realpath(folder)
    return any(os.path.commonpath([real, os.path.realpath(one)]) == os.path.realpath(one) for one in allowed)
