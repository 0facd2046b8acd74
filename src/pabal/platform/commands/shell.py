"""What commands need of the shell: the way to print, to ask, to the database, and to fail."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from pabal.platform.language.pairs import Lang, Pair

if TYPE_CHECKING:
    from pabal.base.database import Database, Tx
    from pabal.base.errors import PabalError
    from pabal.base.settings import Settings
    from pabal.platform.actor import Actor
    from pabal.platform.commands.answers import Answer
    from pabal.platform.secrets import Vault
    from pabal.platform.services import Services

T = TypeVar("T")


class Shell(Protocol):
    """Words are a pair, or a key of the command line's own. `next_commands`, by the code of an error, come first."""

    output: str
    next_commands: dict[str, str]

    @property
    def lang(self) -> Lang: ...

    @property
    def actor(self) -> Actor: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def vault(self) -> Vault: ...

    @property
    def opener(self) -> Vault: ...

    @property
    def house(self) -> Sequence[Any]: ...

    def tell(self, words: str | Pair, **values: Any) -> None: ...

    def show(self, answer: Answer) -> None: ...

    def confirm(self, words: str | Pair, *, yes: bool, **values: Any) -> None: ...

    def run(self, work: Coroutine[Any, Any, T]) -> T: ...

    def fail(self, error: PabalError) -> NoReturn: ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]: ...

    def change(self, *, dry_run: bool) -> AbstractAsyncContextManager[Tx]: ...

    def database(self) -> AbstractAsyncContextManager[Database]: ...

    def services(self, database: Database) -> AbstractAsyncContextManager[Services]: ...
