"""Markdown becomes HTML that needs no inline style and runs nothing."""

from __future__ import annotations

import pytest

from quizapp.catalogue.markdown import plain, render, render_inline


class TestRendering:
    def test_raw_html_is_shown_as_text(self) -> None:
        assert render("<script>alert(1)</script>") == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"
        assert render("a <b>c</b>") == "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"

    @pytest.mark.parametrize(
        "target", ["javascript:alert(1)", "vbscript:x", "data:text/html,x", "JaVaScRiPt:x"]
    )
    def test_a_link_that_runs_code_is_no_link(self, target: str) -> None:
        assert "<a" not in render(f"[x]({target})")

    def test_a_link_to_elsewhere_tells_nobody_where_the_reader_came_from(self) -> None:
        assert render("[x](https://example.org)") == (
            '<p><a href="https://example.org" rel="noopener noreferrer">x</a></p>\n'
        )

    def test_a_link_within_the_site_is_plain(self) -> None:
        assert render("[x](/items/a)") == '<p><a href="/items/a">x</a></p>\n'

    def test_another_host_without_a_scheme_is_elsewhere(self) -> None:
        assert 'rel="noopener noreferrer"' in render("[x](//example.org)")

    def test_images_are_not_loaded(self) -> None:
        assert "<img" not in render("![x](https://example.org/x.png)")

    def test_code_is_coloured_by_classes(self) -> None:
        html = render('```python run\nimport torch\nprint("<")\n```')
        assert html.startswith('<pre class="highlight"><code><span class="kn">import</span>')
        assert "&lt;" in html
        assert "style=" not in html

    def test_code_in_an_unknown_language_is_text(self) -> None:
        assert render("```nolanguage\n<b>\n```") == '<pre class="highlight"><code>&lt;b&gt;\n</code></pre>\n'

    def test_code_keeps_its_blank_first_line_and_indentation(self) -> None:
        assert render("```\n\n    x\n```") == '<pre class="highlight"><code>\n    x\n</code></pre>\n'

    def test_output_is_told_from_code(self) -> None:
        assert render("```output\n1 < 2\n```") == '<pre class="output"><samp>1 &lt; 2\n</samp></pre>\n'

    def test_a_table_is_aligned_by_classes_and_can_scroll(self) -> None:
        html = render("| a | b |\n|--:|---|\n| 1 | 2 |\n")
        assert html.startswith('<div class="table-wrap"><table>')
        assert '<th class="align-right">a</th>' in html
        assert '<td class="align-right">1</td>' in html
        assert "style=" not in html

    def test_a_line_can_be_rendered_without_a_paragraph(self) -> None:
        assert render_inline("a `b`") == "a <code>b</code>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is `x.grad_fn`?", "What is x.grad_fn?"),
        ("**Bold** and _slanted_\nsecond line", "Bold and slanted"),
        ("\n\nrequires_grad", "requires_grad"),
    ],
)
def test_a_plain_title_keeps_names_and_loses_marks(text: str, expected: str) -> None:
    assert plain(text) == expected
