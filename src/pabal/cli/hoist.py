"""Lets the options of the whole command line stand anywhere: `pabal jobs list -o json` is `pabal -o json jobs list`."""

from collections.abc import Sequence

EVERYWHERE = ("-o", "--output", "--lang", "--app")


def hoist(arguments: Sequence[str]) -> list[str]:
    """What follows `--` stays where it is."""
    first: list[str] = []
    rest: list[str] = []
    # an argument in another encoding than this system's comes with signs that no database takes
    left = [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in arguments]
    while left:
        word = left.pop(0)
        if word == "--":
            return [*first, *rest, word, *left]
        if word in EVERYWHERE and left:
            first += [word, left.pop(0)]
        elif word in EVERYWHERE or word.startswith(tuple(f"{name}=" for name in EVERYWHERE if name.startswith("--"))):
            first.append(word)
        else:
            rest.append(word)
    return [*first, *rest]
