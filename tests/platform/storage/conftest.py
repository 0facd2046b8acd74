from pathlib import Path

import pytest

from pabal.platform.storage import Files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data" / "files"


@pytest.fixture
def files(root: Path) -> Files:
    return Files(root)
