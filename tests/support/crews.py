"""Small runs of chaos start their programs as other tests do: forked from a process that has imported everything."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

import pytest

from chaos.starting import ROOT, started_by
from tests.support import programs


@pytest.fixture
def forked_crew() -> Iterator[None]:
    with started_by(_fork):
        yield


def _fork(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> programs.Program:
    return programs.start(module, *arguments, cwd=ROOT, env=environment, stdout=log, stderr=log)
