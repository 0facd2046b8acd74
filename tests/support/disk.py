"""A disk that is full for a while: no file of this process, or of those it starts, may grow beyond so many bytes."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cramped(most: int) -> Iterator[None]:
    """The kernel itself refuses the write (EFBIG), for an ordinary user as for root. The database is not concerned."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
