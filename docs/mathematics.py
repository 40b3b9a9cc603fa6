"""How `$...$` and `$$...$$` on a page become MathML when the site is built.

Browsers render MathML themselves, so a page loads no script and no font for its formulas.
A command that the converter does not know stops the build and names the formula.
"""

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

# A dollar before a digit and after a space is a price, and one after a backslash is a dollar.
INLINE = r"(?<![\\$])\$(?![\s$])([^$]*?[^\s\\$])\$(?![\d$])"
DISPLAY = r"(?<![\\$])\$\$(?!\$)([^$]+?)\$\$"


class Formula(InlineProcessor):
    """Turns one formula into MathML, which later processors leave alone."""

    converter = LatexToMathML(fancy_error=False)

    def __init__(self, pattern: str, md: Markdown, *, display: bool) -> None:
        super().__init__(pattern, md)
        self.display = display

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802
        formula = " ".join(m[1].split())
        try:
            mathml = self.converter.convert_with_local_state(formula, displaystyle=self.display)
        except LatexError as error:
            raise ValueError(f"the formula {formula} cannot be converted: {error}") from None
        return self.md.htmlStash.store(mathml), m.start(0), m.end(0)


class Mathematics(Extension):
    """Formulas in paragraphs, lists, headings and the cells of tables, but not in code.

    >>> import markdown
    >>> render = lambda text: markdown.markdown(text, extensions=[Mathematics(), "tables"])
    >>> render("$x_1$, but `$x$` costs $5 or $6.")
    '<p><math><msub><mi>x</mi><mn>1</mn></msub></math>, but <code>$x$</code> costs $5 or $6.</p>'
    >>> render("$$a < b$$")
    '<math display="block"><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>'
    >>> render("$\\\\unknown$")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the formula \\unknown cannot be converted: ...
    """

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        # Below code spans (190), above backslash escapes (180) and emphasis (60).
        md.inlinePatterns.register(Formula(DISPLAY, md, display=True), "display-formula", 187)
        md.inlinePatterns.register(Formula(INLINE, md, display=False), "inline-formula", 186)


def on_config(config: Any) -> None:
    """Add the extension to those of the site (mkdocs calls this)."""
    config.markdown_extensions.append(Mathematics())
