"""The package that scripts import works by itself: no server, no other package, any Python that runs scripts."""

import subprocess
import sys
from pathlib import Path

import pytest

import pabal_rules
from pabal_rules import RuleMistake, SourceFailed, registry, rule
from pabal_rules.testing import LocalContext


@pytest.fixture(autouse=True)
def fresh():
    registry.forget_all()
    yield
    registry.forget_all()


def test_it_needs_nothing_but_python(tmp_path: Path):
    (tmp_path / "pabal_rules").symlink_to(Path(pabal_rules.__file__).parent)
    program = "import sys; sys.path.insert(0, sys.argv[1]); import pabal_rules.testing; print('pabal' in sys.modules)"

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"


def test_a_function_is_found_by_its_name_or_by_its_script():
    @rule("stock/check_price")
    async def check(payload, context): ...

    @rule("stock/other")
    async def other(payload, context): ...

    assert registry.find("stock/other", "x.py") is other
    assert registry.find(None, "stock/check_price.py") is check
    assert registry.find(None, "stock/check_price/main.py") is check
    assert registry.find(None, "stock/none.py") is None


def test_mistakes_are_said_where_they_are_made():
    with pytest.raises(RuleMistake, match="needs a name"):
        rule(print)  # type: ignore[arg-type]  # the mistake of this test
    with pytest.raises(RuleMistake, match="async def"):
        rule("a")(lambda payload, context: None)  # type: ignore[arg-type,return-value]  # as above

    @rule("b")
    async def first(payload, context): ...

    with pytest.raises(RuleMistake, match="twice"):
        rule("b")(first)


async def test_a_context_of_a_test_remembers_what_it_was_told():
    context = LocalContext(memory={"price": 1}, attempt=2, sources={"quote": lambda ticker: ticker.lower()})

    context.log("a", 1)
    context.notify("hello", title="x")
    context.artifact("a.txt", b"bytes")

    assert (context.memory, context.attempt, context.is_dry_run) == ({"price": 1}, 2, False)
    assert (context.logged, context.sent) == (["a 1"], [{"kind": "notify", "text": "hello", "title": "x"}])
    assert context.artifacts == {"a.txt": b"bytes"}
    assert await context.source("quote")(ticker="AAPL") == "aapl"
    with pytest.raises(SourceFailed, match="news"):
        await context.source("news")()
