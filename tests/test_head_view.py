"""The head view as a file: weights and words. tests/browser sees to what it does."""

import json
import re

import bs4
import pytest
import torch
from lesson_checks import thousandths
from reference import assert_same

import attn_teach as at
from attn_teach import head_view

TOKENS = ["[CLS]", "the", "cat", "saw", "the", "mat"]
EVIL = '</script><b>&"'


def some_weights(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (2 * torch.randn(*shape, generator=generator)).softmax(-1)


WEIGHTS = some_weights(3, 4, 6, 6)


class Page:
    """A view as a browser reads it: its parts, its script's data, and its table in rows."""

    def __init__(self, view):
        self.soup = bs4.BeautifulSoup(view.html, "html.parser")
        (script,) = self.soup("script")
        self.rows = [[c.get_text() for c in row(["td", "th"])] for row in self.soup("tr")]
        found = re.search(r"const data = (\{.*\});$", script.string, re.MULTILINE)
        self.data = json.loads(found[1])


def decoded(data, *shape):
    """The weights as the script reads them."""
    out = thousandths(data["weights"], data["letters"], data["short"])
    return torch.tensor(out, dtype=torch.float64).reshape(shape) / 1000


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_every_weight_is_there_to_half_a_thousandth(dtype):
    weights = WEIGHTS.to(dtype)
    data = Page(head_view(weights, TOKENS)).data
    assert_same(decoded(data, 3, 4, 6, 6), weights.double(), 0.0005 + 1e-12)
    assert (data["layers"], data["heads"], data["deep"]) == (3, 4, True)


def test_every_number_of_thousandths_comes_back():
    every = torch.arange(1001, dtype=torch.float64).div(1000).reshape(7, 11, 13)
    data = Page(head_view(every, ["a"] * 11, ["b"] * 13)).data
    assert torch.equal(decoded(data, 7, 11, 13), every)
    assert (data["layers"], data["heads"], data["deep"]) == (1, 7, False)
    above = Page(head_view(torch.full((1, 1, 1), 1.00005), ["a"])).data
    assert decoded(above, 1).item() == 1, "rounding above one is forgiven"


def test_table_and_picture_show_the_chosen_head():
    page = Page(head_view(WEIGHTS, TOKENS, layer=2, head=1))
    head, *body = page.rows
    names = ["[CLS]", "the (1)", "cat", "saw", "the (4)", "mat"]
    assert head == ["", *names], "equal tokens are told apart"
    assert [row[0] for row in body] == names
    assert [row[1:] for row in body] == [[f"{w:.3f}" for w in row] for row in WEIGHTS[2, 1]]
    scopes = [th["scope"] for th in page.soup("th")]
    assert scopes == ["col"] * 6 + ["row"] * 6
    assert page.soup.caption.span.get_text() == "Layer 2, head 1"
    (image,) = page.soup("img")
    i, j = divmod(int(WEIGHTS[2, 1].argmax()), 6)
    largest = f"The largest: {names[i]} to {names[j]} {WEIGHTS[2, 1].max():.3f}; "
    assert image["alt"].startswith("Layer 2, head 1: heatmap of the attention weights of 6 quer")
    assert largest in image["alt"]
    alone = Page(head_view(WEIGHTS[2], TOKENS, head=1))
    assert alone.rows == page.rows and alone.soup.caption.span.get_text() == "Head 1"


def test_a_notebook_gets_html_a_picture_and_words():
    data, metadata = head_view(WEIGHTS, TOKENS, layer=1)._repr_mimebundle_(include=None)
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert data["text/plain"] == metadata["image/png"]["alt"]
    assert data["text/html"].count('src="data:image/') == 1
    assert f'alt="{data["text/plain"]}"' in data["text/html"]
    assert at.plt.get_fignums() == [], "no figure is left to be shown again"


def test_nothing_is_fetched_and_nothing_has_an_id():
    view = head_view(WEIGHTS, TOKENS, title="A title")
    assert not re.search(r"http|url\(|@import", view.html)
    soup = Page(view).soup
    assert not soup(["link", "iframe"]) and not soup(id=True)
    assert all(tag["src"].startswith("data:") for tag in soup(src=True))


def test_tokens_and_title_are_text():
    tokens = [EVIL, "{{table}}", "$x$", "\\1", "\u2028", "日"]
    view = head_view(WEIGHTS, tokens, title=EVIL)
    page = Page(view)
    assert not page.soup("b")
    assert view.html.count("</script>") == 1 and view.html.count("<table>") == 1
    assert page.data["rows"] == [*tokens[:4], "␣", "日"], "what cannot be seen is made visible"
    assert page.rows[0][1:] == page.data["rows"]
    assert page.soup.select_one(".hv-title").get_text() == EVIL
    assert page.soup.find()["aria-label"] == EVIL
    blank = ["", " ", "  ", "a", "b", "c"]
    assert Page(head_view(WEIGHTS, blank)).data["rows"][:3] == ["␣", "␣", "␣␣"]


def test_other_keys_than_queries_and_rows_of_zeros():
    weights = some_weights(2, 3, 5)
    weights[:, 1] = 0
    page = Page(head_view(weights, ["x", "y", "z"], list("abcde")))
    assert page.rows[0] == ["", *"abcde"]
    assert page.rows[2] == ["y"] + ["0.000"] * 5
    assert decoded(page.data, 2, 3, 5)[:, 1].eq(0).all()
