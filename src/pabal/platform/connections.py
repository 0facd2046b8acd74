"""The live connections this process holds, by the route they are: whoever keeps one puts it here, work finds it."""


class Connections:
    def __init__(self) -> None:
        self._by_route: dict[str, object] = {}
        # Where this process really listens, by gateway: its port may have been taken, or any was asked for.
        self.doors: dict[str, tuple[str, int]] = {}

    def put(self, route: str, connection: object) -> None:
        """The newest counts."""
        self._by_route[route] = connection

    def drop(self, route: str, connection: object) -> None:
        """Only if it is still the one: a newer connection stays."""
        if self._by_route.get(route) is connection:
            del self._by_route[route]

    def find(self, route: str) -> object | None:
        return self._by_route.get(route)

    def __len__(self) -> int:
        return len(self._by_route)
