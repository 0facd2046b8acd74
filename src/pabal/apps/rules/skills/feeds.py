"""Reads RSS 2.0, RSS 1.0 and Atom. Strict: a document type, and so any entity of its own, is refused unread."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from xml.parsers import expat

from pabal.apps.rules.outside.fetching import read_scheme
from pabal.apps.rules.skills.errors import FeedUnreadable

MOST_ARTICLES = 500
DEEPEST = 50
_LONGEST_TITLE, _LONGEST_TEXT = 300, 2000
_ENTRIES = {"item", "entry"}
_TITLE, _TEXT, _LINK = {"title"}, {"description", "summary", "content", "encoded"}, {"link"}
_DATE = {"pubdate", "published", "updated", "date"}
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ENCODINGS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "euc-kr", "cp949", "ks_c_5601-1987", "shift_jis"}
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Article:
    title: str
    link: str
    text: str
    at: datetime | None


def read_feed(content: bytes) -> list[Article]:
    """In the order they stand in. Articles without a title or a link that can be followed are left out."""
    reader = _FeedReader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler, parser.EndElementHandler = reader.open, reader.close
    parser.CharacterDataHandler = reader.text
    parser.buffer_text = True
    try:
        parser.Parse(_decode(content), True)
    except expat.ExpatError as error:
        raise FeedUnreadable(expat.errors.messages.get(error.code, "")) from error
    if not reader.is_feed:
        raise FeedUnreadable("no rss, RDF or feed element")
    return reader.articles


def _refuse(*_: object) -> None:
    raise FeedUnreadable("a document type is declared")


def _decode(content: bytes) -> str:
    declared = _DECLARED.search(content)
    encoding = declared[1].decode("ascii").lower() if declared else "utf-8"
    if encoding not in _ENCODINGS:
        raise FeedUnreadable(f"encoding {encoding}")
    return content.decode(encoding, "replace").lstrip("\ufeff")


class _FeedReader:
    """One pass. Only the children of an entry are looked at; what is deeper belongs to their text."""

    def __init__(self) -> None:
        self.articles: list[Article] = []
        self.is_feed = False
        self._depth = 0
        self._entry_at: int | None = None
        self._field = ""
        self._found: dict[str, str] = {}

    def open(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise FeedUnreadable("too deep")
        local = name.rpartition(" ")[2].lower()
        if self._depth == 1:
            self.is_feed = local in ("rss", "rdf", "feed")
        elif local in _ENTRIES and self._entry_at is None:
            self._entry_at, self._found = self._depth, {}
        elif self._entry_at is not None and self._depth == self._entry_at + 1:
            self._field = local
            # Atom has its address in an attribute, and several of them
            if local in _LINK and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                self._found.setdefault("link", attributes["href"])

    def text(self, data: str) -> None:
        if self._field and self._entry_at is not None:
            before = self._found.get(self._field, "")
            if len(before) < 4 * _LONGEST_TEXT:
                self._found[self._field] = before + data

    def close(self, _name: str) -> None:
        if self._entry_at is not None and self._depth == self._entry_at + 1:
            self._field = ""
        elif self._entry_at == self._depth:
            self._entry_at = None
            self._add()
        self._depth -= 1

    def _add(self) -> None:
        title = show_text(self._first(_TITLE))[:_LONGEST_TITLE]
        link = self._first(_LINK).strip()
        if title and read_scheme(link) is not None and len(self.articles) < MOST_ARTICLES:
            text = show_text(self._first(_TEXT))[:_LONGEST_TEXT]
            self.articles.append(Article(title, link, text, read_moment(self._first(_DATE))))

    def _first(self, names: set[str]) -> str:
        return next((value for name, value in self._found.items() if name in names and value.strip()), "")


def read_moment(text: str) -> datetime | None:
    """As RFC 822 of RSS or RFC 3339 of Atom writes it; one without a zone is taken as UTC."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(text.strip())
        except (ValueError, TypeError, IndexError):
            continue
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return None


def show_text(html: str) -> str:
    """What a person would read of it: without tags, scripts and styles."""
    reader = _TextReader()
    reader.feed(html)
    reader.close()
    return _BLANKS.sub(" ", "".join(reader.parts)).strip()


class _TextReader(HTMLParser):
    _UNREAD = ("script", "style")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in self._UNREAD
        self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._unread = max(0, self._unread - (tag in self._UNREAD))
        self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.parts.append(data)
