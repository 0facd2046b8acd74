"""Where the commands of the shell find `read_moment`; apps find it in platform.commands."""

from pabal.platform.commands.moments import BadMoment, read_moment

__all__ = ["BadMoment", "read_moment"]
