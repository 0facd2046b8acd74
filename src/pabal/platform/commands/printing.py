"""What others typed, such as the name of a room, made safe for a terminal."""


def printable(text: str) -> str:
    """A space for every sign that moves a cursor or changes a colour; the ends of lines stay."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
