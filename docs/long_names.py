"""Where long names in the tables of a page may be broken: between their words."""

import re
from typing import Any


def breakable(html: str) -> str:
    """Allow line breaks within the code of table cells, as browsers break elsewhere otherwise.

    >>> breakable("<td><code>tests/test_oco.py</code></td> <code>a_b</code>")
    '<td><code>tests/<wbr>test_<wbr>oco.<wbr>py</code></td> <code>a_b</code>'
    >>> breakable("<td><code>DoublingTrick</code></td>")
    '<td><code>Doubling<wbr>Trick</code></td>'
    """
    return re.sub(r"<td.*?</td>", lambda cell: _in_code(cell[0]), html, flags=re.DOTALL)


def _in_code(cell: str) -> str:
    between = re.compile(r"(?:(?<=[.:_/])|(?<=[a-z])(?=[A-Z]))(?=[A-Za-z])")
    return re.sub(r"(?<=<code>)[^<]+", lambda code: between.sub("<wbr>", code[0]), cell)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Apply `breakable` to every page but the reference, whose tables mkdocstrings makes."""
    return html if page.url.startswith("api/") else breakable(html)
