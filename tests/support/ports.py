"""A port for a program that cannot be given a socket that listens already."""

import secrets
import socket

# Below those that the system hands out to whoever connects: one of those may be somebody's by the time it is used, or
# be given to the very client who asks for it while nobody listens, which is then connected to itself.
PORTS = range(10_000, 32_768)


def free_port() -> int:
    """Nobody has it now, and only another who asks here by the same chance may take it."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
