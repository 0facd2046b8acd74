"""How many files this process may have open: each connection is one, and the usual soft limit is 1,024."""

import sys

if sys.platform != "win32":
    import resource

WANTED = 65_536


def allow(wanted: int = WANTED) -> int | None:
    """Raises the soft limit towards `wanted`, never above the hard one, never lower; says what now holds.

    None: there is no limit.
    """
    if sys.platform == "win32":
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if most <= soft:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        # macOS calls its hard limit endless and refuses more than its kernel has.
        return soft
    return most
