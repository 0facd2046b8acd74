"""A mutant: a small way in which the code is sabotaged, and who must see it."""

from dataclasses import dataclass

ENGINE = "src/pabal/engine"
TESTS = "tests/engine"


@dataclass(frozen=True, slots=True)
class Mutant:
    """`old` stands in `file` exactly once. `seen_by` is a test, or `run:` and a line of the report of a short run."""

    name: str
    file: str
    old: str
    new: str
    seen_by: str

    @property
    def promise(self) -> str | None:
        """What a short run must find broken; None if a test sees it."""
        return self.seen_by.removeprefix("run:") if self.seen_by.startswith("run:") else None


def seen_by_test(name: str, file: str, old: str, new: str, test: str) -> Mutant:
    return Mutant(name, f"{ENGINE}/{file}", old, new, f"{TESTS}/{test}")


def seen_by_run(name: str, file: str, old: str, new: str, promise: str) -> Mutant:
    return Mutant(name, f"{ENGINE}/{file}", old, new, f"run:{promise}")
