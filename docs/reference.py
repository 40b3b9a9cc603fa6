"""How docstrings become the site's reference: lists of parameters and examples as code."""

import re
from typing import Any

import griffe


def markdown(docstring: str) -> str:
    """A docstring with its lists and examples as Markdown has them.

    >>> print(markdown("A player.\\n\\nParameters\\n----------\\nn, m : counts,\\n    at least 1."))
    A player.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `n`, `m`: counts,
        at least 1.
    >>> markdown(">>> 1 + 1\\n2")
    '```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return "\n\n".join(_block(block) for block in re.split(r"\n(?: *\n)+", docstring))


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    heading, _, rest = block.partition("\n")
    if not re.match(r"-+\n", rest):
        return block
    items = re.sub(
        r"^(\S.*?) : ", lambda match: f"- {_names(match[1])}: ", rest, flags=re.MULTILINE
    )
    return f"**{heading}**\n\n" + items.partition("\n")[2]


def _names(text: str) -> str:
    return ", ".join(f"`{name}`" for name in text.split(", "))


class Docstrings(griffe.Extension):
    """Applies `markdown` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)
