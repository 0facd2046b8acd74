"""What a rule's function may ask of the server: tell somebody, keep a file, write to the log, read a source."""

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, Union

Content = Union[bytes, str, "os.PathLike[str]"]


class SourceFailed(Exception):
    """The source had no answer; the text says why."""


class ServerEnd(Protocol):
    """The other end: the real server, or in a test the list of what was said."""

    def say(self, what: dict[str, Any]) -> None: ...

    async def ask(self, source: str, arguments: dict[str, Any]) -> Any: ...


class Context:
    """About one run. In a dry run `notify` is shown to the person who asked for it, and nothing is sent."""

    def __init__(self, about: Mapping[str, Any], *, server: ServerEnd, artifacts: Path) -> None:
        self.run_id: str = about.get("run_id", "")
        self.rule_id: Any = about.get("rule_id")
        self.rule_name: str = about.get("rule_name", "")
        # the moment of the schedule in ISO 8601, which may be earlier than now
        self.scheduled_for: str | None = about.get("scheduled_for")
        self.attempt: int = about.get("attempt", 1)
        self.is_dry_run: bool = bool(about.get("dry_run", False))
        # what this rule's function returned the last time it succeeded
        self.memory: Any = about.get("memory")
        self.zone: str = about.get("zone", "UTC")
        self.about: dict[str, Any] = dict(about)
        self._server = server
        self._artifacts = artifacts
        self._kept = 0

    def log(self, *words: object, level: str = "info") -> None:
        self._server.say({"log": " ".join(map(str, words)), "level": level})

    def notify(self, text: str, **options: Any) -> None:
        """Sent by the server after the function has returned, and only if it returned."""
        self._server.say({"send": {"kind": "notify", "text": str(text), **options}})

    def artifact(self, name: str, content: Content, *, media_type: "str | None" = None) -> None:
        """Keeps bytes, a text, or a copy of the file at a path (a `Path`, not a `str`) as a file of this run."""
        import mimetypes  # noqa: PLC0415 -- both are slow to import, and most runs keep no file
        import shutil  # noqa: PLC0415 -- as above

        self._kept += 1
        file = f"{self._kept:04}"
        target = self._artifacts / file
        if isinstance(content, bytes):
            target.write_bytes(content)
        elif isinstance(content, str):
            target.write_text(content, encoding="utf-8")
        else:
            shutil.copyfile(content, target)
        guessed = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self._server.say({"artifact": {"name": str(name), "file": file, "media_type": guessed}})

    def source(self, name: str) -> Callable[..., Awaitable[Any]]:
        """`await context.source("quote")(ticker="AAPL")`: read by the server, so the script needs no network for it."""

        async def read(**arguments: Any) -> Any:
            return await self._server.ask(name, arguments)

        return read
