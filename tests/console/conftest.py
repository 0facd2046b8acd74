import pytest


@pytest.fixture
def web_has_loops() -> bool:
    """Pages are asked for and drawn; those that follow what happens say otherwise in their own module."""
    return False
