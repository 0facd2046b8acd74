"""A process that ends with the one that started it. It imports next to nothing: children begin with it."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None) -> None:
    """The kernel ends this process when the one that started it dies, even by kill -9.

    A handler that starts programs hands this to them: `subprocess.Popen(…, preexec_fn=die_with_parent)`.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have died before we asked.
    if parent is not None and os.getppid() != parent:
        os._exit(1)
