from pathlib import Path

import pytest

from tests.support.rule_scripts import UNCONTAINED, Repository, Runs, need_isolation


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "scripts")


@pytest.fixture
def runs(repository: Repository, tmp_path: Path) -> Runs:
    """Without bubblewrap, which not every machine has."""
    return Runs(repository, tmp_path / "cache", UNCONTAINED)


@pytest.fixture
def contained(repository: Repository, tmp_path: Path) -> Runs:
    return Runs(repository, tmp_path / "cache", need_isolation())


@pytest.fixture(params=["contained", "uncontained"])
def any_runs(request: pytest.FixtureRequest, repository: Repository, tmp_path: Path) -> Runs:
    isolation = need_isolation() if request.param == "contained" else UNCONTAINED
    return Runs(repository, tmp_path / "cache", isolation)
