"""For the tests of a script's author: a context that is connected to nothing and remembers what it was told."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pabal_rules.context import Context, SourceFailed


class LocalContext(Context):
    """`context = LocalContext(memory=…, sources={"quote": lambda ticker: {"price": 501}})`"""

    def __init__(self, *, sources: "Mapping[str, Callable[..., Any]] | None" = None, **about: Any) -> None:
        folder = tempfile.mkdtemp(prefix="pabal-rule-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._sources = dict(sources or {})
        self._said: list[dict[str, Any]] = []
        super().__init__(about, server=self, artifacts=Path(folder))

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [said["send"] for said in self._said if "send" in said]

    @property
    def logged(self) -> list[str]:
        return [said["log"] for said in self._said if "log" in said]

    @property
    def artifacts(self) -> dict[str, bytes]:
        kept = [said["artifact"] for said in self._said if "artifact" in said]
        return {one["name"]: (self._artifacts / one["file"]).read_bytes() for one in kept}

    def say(self, what: dict[str, Any]) -> None:
        self._said.append(what)

    async def ask(self, source: str, arguments: dict[str, Any]) -> Any:
        if source not in self._sources:
            raise SourceFailed(f"there is no source {source!r} in this test")
        return self._sources[source](**arguments)
