"""A machine drawn from its definition: `draw` gives the SVG. Pure; the same machine always gives the same drawing."""

from pabal.platform.web.drawing.svg import Marks, StateText, draw

__all__ = ["Marks", "StateText", "draw"]
