"""Picks the sentences that tell most of a text: by how often their words occur in all of it. Pure, for offline use."""

import re
from collections import Counter

_SENTENCE = re.compile(r"[^.!?。\n]{8,400}[.!?。]?")
_WORD = re.compile(r"\w{2,}")
# of the prompt's own frame
FRAME = "---"


def pick_sentences(text: str, most: int = 3) -> list[str]:
    """In the order they stand in. Between two lines of `---` if there are any: what stands around them is the frame."""
    parts = text.split(f"\n{FRAME}\n")
    body = parts[1] if len(parts) > 2 else text
    sentences = list(dict.fromkeys(found.strip() for found in _SENTENCE.findall(body) if _WORD.search(found)))
    weights = Counter(word for sentence in sentences for word in set(_WORD.findall(sentence.lower())))

    def weigh(sentence: str) -> float:
        words = set(_WORD.findall(sentence.lower()))
        return sum(weights[word] - 1 for word in words) / (len(words) + 5)

    best = sorted(range(len(sentences)), key=lambda place: (-weigh(sentences[place]), place))[:most]
    return [sentences[place] for place in sorted(best)]
