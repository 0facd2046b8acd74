"""What a browser would send of the rule's form as it is shown, and what a person changes in it."""

import html
import re
from html.parser import HTMLParser


class _Form(HTMLParser):
    """The fields of the page's one form with an action that ends with /new or /edit, buttons left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.fields: dict[str, str] = {}
        self._name: str | None = None
        self._chosen: str | None = None
        self._text: list[str] | None = None
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_inside = given.get("action", "").endswith(("/new", "/edit"))
        if not self._is_inside:
            return
        if tag == "input" and given.get("name") and self._is_sent(given):
            self.fields[given["name"]] = given.get("value", "")
        elif tag == "select":
            self._name, self._chosen = given["name"], None
        elif tag == "option" and self._name is not None and (self._chosen is None or "selected" in given):
            self._chosen = given.get("value", "")
        elif tag == "textarea":
            self._name, self._text = given["name"], []

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        if tag == "select" and self._name is not None:
            self.fields[self._name] = self._chosen or ""
            self._name = None
        if tag == "textarea" and self._name is not None and self._text is not None:
            # as a browser sends it: the first line break is the markup's, and every one is two characters
            text = "".join(self._text).removeprefix("\n")
            self.fields[self._name] = re.sub(r"\r\n|\r|\n", "\r\n", text)
            self._name = self._text = None

    @staticmethod
    def _is_sent(given: dict[str, str]) -> bool:
        return given.get("type") != "checkbox" or "checked" in given


def read_form(page: str) -> dict[str, str]:
    reader = _Form()
    reader.feed(page)
    return reader.fields


def find_error(page: str, field: str) -> str:
    """What stands beside the field; empty where nothing is wrong with it."""
    found = re.search(rf'<span class="pb-fielderr" id="{re.escape(field)}-err">(.*?)</span>', page, re.DOTALL)
    return "" if found is None else html.unescape(found[1]).strip()
