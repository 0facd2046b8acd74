"""The peers' sides: programs that run in an environment of their own."""
