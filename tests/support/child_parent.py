"""A process with a handler in one of its own, to be killed: python -m tests.support.child_parent FOLDER."""

import asyncio
import sys

from pabal.engine.children import run_in_child
from tests.support.child_handlers import attempt, make_kinds

KIND = "test.start_another"

if __name__ == "__main__":
    asyncio.run(run_in_child(attempt(KIND, folder=sys.argv[1]), make_kinds()[KIND]))
