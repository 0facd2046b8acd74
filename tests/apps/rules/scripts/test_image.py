"""The image has what scripts need: git to read them, uv for their packages, bubblewrap around them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.req("D-23", "D-87")
def test_the_image_has_git_bubblewrap_and_uv_beside_its_python():
    first, last = (ROOT / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")[-2:]

    assert "/opt/pabal/bin/pip install --no-cache-dir --require-hashes --requirement requirements-uv.lock" in first
    assert "apt-get install --quiet --yes --no-install-recommends bubblewrap git" in last
    assert "COPY --from=build /opt/pabal /opt/pabal" in last
