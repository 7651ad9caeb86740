"""Markdown to HTML: no raw HTML, no images, no inline style; code coloured by Pygments' classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_FORMATTER = HtmlFormatter(nowrap=True)
RUN = ["python", "run"]
_WITHIN = re.compile(r"#|/(?![/\\])")  # "//host" and "/\\host" lead elsewhere


@dataclass(frozen=True)
class RunFence:
    """A program in a text that claims to do what is printed below it.

    output: the text of the `output` fence right after it; None without one.
    line: of the opening fence, from 1.
    """

    code: str
    output: str | None
    line: int


@lru_cache(maxsize=2048)
def render(text: str) -> Markup:
    """Markdown as safe HTML. Its classes: `.highlight` and Pygments' own, `.output`, `.table-wrap`."""
    return render_tokens(parse(text))


@lru_cache(maxsize=2048)
def render_inline(text: str) -> Markup:
    """One line of Markdown without a paragraph around it, for titles, options and list entries."""
    return Markup(_markdown.renderInline(text))


def parse(text: str) -> list[Token]:
    """The text's tokens; their `map` counts lines from 0."""
    return _markdown.parse(text)


def render_tokens(tokens: Sequence[Token]) -> Markup:
    """HTML for whole blocks out of `parse`."""
    return Markup(_markdown.renderer.render(tokens, _markdown.options, {}))


def run_fences(text: str) -> tuple[RunFence, ...]:
    """Every fence marked `python run`, wherever it stands, with the output claimed for it."""
    fences: list[RunFence] = []
    waiting: Token | None = None  # the program whose output may come next
    for token in [*parse(text), None]:
        if waiting is not None:
            is_output = token is not None and token.type == "fence" and token.info.strip() == "output"
            output = token.content if token is not None and is_output else None
            fences.append(RunFence(waiting.content, output, (waiting.map or [0])[0] + 1))
        is_program = token is not None and token.type == "fence" and token.info.split() == RUN
        waiting = token if is_program else None
    return tuple(fences)


def plain(text: str) -> str:
    """The first line of a Markdown text without its marks, for titles."""
    first = text.strip().partition("\n")[0]
    return re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", first)


def _fence(_renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    words = tokens[index].info.split()
    language, code = words[0] if words else "", tokens[index].content
    if language == "output":
        return f'<pre class="output"><samp>{escape(code)}</samp></pre>\n'
    return f'<pre class="highlight"><code>{_coloured(code, language)}</code></pre>\n'


def _coloured(code: str, language: str) -> str:
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return str(escape(code))
    coloured: str = highlight(code, lexer, _FORMATTER)
    return coloured


def _link(renderer: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    if not _WITHIN.match(str(tokens[index].attrGet("href") or "")):
        tokens[index].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, index, options, env)  # type: ignore[attr-defined, no-any-return]


def _table(_renderer: RendererProtocol, _tokens: Sequence[Token], _index: int, _o: Any, _e: Any) -> str:
    return '<div class="table-wrap"><table>\n'


def _table_end(_renderer: RendererProtocol, _tokens: Sequence[Token], _index: int, _o: Any, _e: Any) -> str:
    return "</table></div>\n"


def _cell(renderer: RendererProtocol, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """markdown-it aligns a column by a style attribute, which our Content-Security-Policy forbids."""
    style = str(tokens[index].attrs.pop("style", ""))
    if style:
        tokens[index].attrSet("class", f"align-{style.partition(':')[2]}")
    return renderer.renderToken(tokens, index, options, env)  # type: ignore[attr-defined, no-any-return]


def _make() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    rules = {
        "fence": _fence,
        "link_open": _link,
        "table_open": _table,
        "table_close": _table_end,
        "th_open": _cell,
        "td_open": _cell,
    }
    for name, rule in rules.items():
        markdown.add_render_rule(name, rule)
    return markdown


_markdown = _make()


def render_code(code: str) -> Markup:
    """A program, coloured as in Markdown."""
    return Markup(f'<pre class="highlight"><code>{_coloured(code.strip(chr(10)), "python")}</code></pre>\n')
