"""The head view as people use it: by hand, by keyboard, without scripts."""

import io
import re

import pytest
import torch
from chromium import page_width
from PIL import Image

from attn_teach.head_view import head_view

TOKENS = ["[CLS]", "the", "cat", "sat", "on", "the", "mat", "because", "it", "was"]
TOKENS += ["very", "tired", ".", "[SEP]"]
EVIL = "</script><script>document.title='broken'</script><b>&"
DARK = "background: #111; color: #eee"


def some_weights(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (2 * torch.randn(*shape, generator=generator)).softmax(-1)


MODEL = some_weights(6, 12, 14, 14)
FOUR = some_weights(4, 6, 6)
DATES = some_weights(2, 3, 4, 9)
DATES[1, 2, 1] = 0
VIEWS = {
    "model": head_view(MODEL, TOKENS, title="Six layers of twelve heads", layer=1, head=3),
    "four": head_view(FOUR, TOKENS[:6]),
    "dates": head_view(DATES, [EVIL, "12", "août", "2021"], list("1. 8.2021"), title=EVIL),
}


@pytest.fixture
def open_views(open_page, tmp_path):
    """A function that opens views in one file."""

    def opened(*names, style="", width=1000, **options):
        views = "<p>A line between.</p>".join(VIEWS[name].html for name in names)
        path = tmp_path / "views.html"
        path.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body style="{style}">{views}')
        return open_page(path.as_uri(), width, 900, **options)

    return opened


def lines(view):
    """The lines that are seen: (query, key) -> (width, opacity, ends)."""
    names = ["data-pair", "stroke-width", "stroke-opacity", "x1", "y1", "x2", "y2"]
    found = view.locator("line").evaluate_all(
        "(lines, names) => lines.map(e => names.map(name => e.getAttribute(name)))", names
    )
    return {
        tuple(map(int, pair.split())): (float(width), float(opacity), tuple(map(float, ends)))
        for pair, width, opacity, *ends in found
    }


def assert_lines(view, weights, pairs=None):
    """The lines are those of these pairs (all unless given), as wide as their weights."""
    seen = lines(view)
    rows, columns = weights.shape
    pairs = pairs or [(i, j) for i in range(rows) for j in range(columns)]
    wanted = {pair for pair in pairs if weights[pair] >= 0.0005}
    assert set(seen) == wanted
    for (i, j), (width, opacity, ends) in seen.items():
        assert abs(width / 8 - weights[i, j]) < 0.00051
        assert abs((opacity - 0.2) / 0.8 - weights[i, j]) < 0.00051
        assert ends == (0, 20 * i + 10, 150, 20 * j + 10)


def says(view):
    return view.locator(".hv-says").inner_text()


def option(view, kind, number):
    return view.locator(f".hv-lines .hv-{kind} .hv-token").nth(number)


def chosen(view):
    """The label of the one head that is marked as chosen."""
    (label,) = view.locator("[role=radio][aria-checked=true]").evaluate_all(
        "heads => heads.map(e => e.ariaLabel)"
    )
    return label.split(";")[0]


def table(view):
    numbers = view.locator("tbody td").all_text_contents()
    return torch.tensor([float(number) for number in numbers])


def pixel(view, row, column):
    """The colour of a cell of the large heatmap."""
    return view.locator(".hv-pixels canvas").evaluate(
        "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)",
        [column, row],
    )


def test_the_head_that_was_asked_for_is_shown_until_a_click_picks_another(open_views):
    view = open_views("model").locator(".head-view")
    assert chosen(view) == "Layer 1, head 3"
    assert says(view).startswith("Layer 1, head 3. Point at a token")
    assert_lines(view, MODEL[1, 3])
    assert not view.locator(".hv-still").is_visible()
    heights = [
        option(view, kind, 13).bounding_box()["y"] - view.locator("svg").bounding_box()["y"]
        for kind in ("queries", "keys")
    ]
    assert heights == [260, 260], "lines end at their tokens"
    view.get_by_role("radio", name=re.compile("^Layer 4, head 11;")).click()
    assert chosen(view) == "Layer 4, head 11"
    assert_lines(view, MODEL[4, 11])
    assert (table(view) - MODEL[4, 11].flatten()).abs().max() < 0.00051
    assert view.locator("caption").text_content().startswith("Layer 4, head 11: ")
    pictures = view.locator("canvas").evaluate_all("all => all.map(e => e.toDataURL())")
    assert len(set(pictures[:72])) == 72, "each head has a small picture of its own"
    assert pictures[4 * 12 + 11] == pictures[72], "which is the large one when it is chosen"


def test_arrows_pick_a_head_and_stop_at_the_edge(open_views):
    page = open_views("model")
    view = page.locator(".head-view")
    page.keyboard.press("Tab")
    page.evaluate("() => { document.onkeydown = event => { window.heard = event.key } }")
    for key, name in [
        ("ArrowDown", "Layer 2, head 3"),
        ("ArrowRight", "Layer 2, head 4"),
        ("ArrowUp", "Layer 1, head 4"),
        ("ArrowUp", "Layer 0, head 4"),
        ("ArrowUp", "Layer 0, head 4"),
        ("ArrowLeft", "Layer 0, head 3"),
    ]:
        page.keyboard.press(key)
        assert chosen(view) == name
        assert page.evaluate("document.activeElement.ariaLabel").startswith(f"{name};")
    assert_lines(view, MODEL[0, 3])
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    assert chosen(view) == "Layer 5, head 11"
    assert page.evaluate("window.heard") is None, "slides would turn the page"


def test_pointing_at_a_query_leaves_only_its_lines(open_views):
    page = open_views("model", style=DARK, color_scheme="dark")
    view = page.locator(".head-view")
    shot = Image.open(io.BytesIO(view.screenshot())).convert("RGB")
    assert shot.getpixel((3, 3)) == (255, 255, 255), "it is white in a dark page"
    option(view, "queries", 8).hover()
    weights = MODEL[1, 3]
    assert_lines(view, weights, [(8, j) for j in range(14)])
    names = [f"the ({j})" if token == "the" else token for j, token in enumerate(TOKENS)]
    largest = weights[8].argsort(descending=True)[:5]
    told = ", ".join(f"{names[j]} {weights[8, j]:.3f}" for j in largest)
    more = int((weights[8] >= 0.0005).sum()) - 5
    assert says(view) == f"Layer 1, head 3. “it” attends to: {told} and {more} more"
    page.mouse.move(0, 0)
    assert_lines(view, weights)


def test_focus_on_a_key_leaves_only_its_lines(open_views):
    page = open_views("model")
    view = page.locator(".head-view")
    for key in ("Tab", "Tab", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert_lines(view, MODEL[1, 3], [(i, 2) for i in range(14)])
    top = int(MODEL[1, 3, :, 2].argmax())
    start = f"Layer 1, head 3. “cat” is attended to by: {TOKENS[top]} {MODEL[1, 3, top, 2]:.3f}, "
    assert says(view).startswith(start)
    assert option(view, "keys", 2).get_attribute("aria-selected") == "true"
    assert view.locator("[aria-selected=true]").count() == 1
    page.keyboard.press("ArrowUp")
    assert_lines(view, MODEL[1, 3], [(i, 1) for i in range(14)])
    page.keyboard.press("ArrowLeft")
    assert_lines(view, MODEL[1, 3], [(1, j) for j in range(14)])
    page.keyboard.press("Escape")
    assert_lines(view, MODEL[1, 3])


def test_of_hand_and_keyboard_the_later_one_is_followed(open_views):
    page = open_views("four")
    view = page.locator(".head-view")
    option(view, "queries", 1).hover()
    option(view, "keys", 4).focus()
    assert_lines(view, FOUR[0], [(i, 4) for i in range(6)])
    option(view, "queries", 2).hover()
    assert_lines(view, FOUR[0], [(2, j) for j in range(6)])
    page.mouse.move(0, 0)
    assert_lines(view, FOUR[0], [(i, 4) for i in range(6)])


@pytest.mark.parametrize("zoom", [1, 0.7])
def test_the_heatmap_shows_the_head_and_tells_the_weight_pointed_at(zoom, open_views):
    page = open_views("dates", style=f"zoom: {zoom}")
    view = page.locator(".head-view")
    canvas = view.locator(".hv-pixels canvas")
    canvas.scroll_into_view_if_needed()
    for i, j in [(0, 0), (2, 7), (3, 8)]:
        box = canvas.bounding_box()
        page.mouse.move(
            box["x"] + box["width"] * (j + 0.5) / 9, box["y"] + box["height"] * (i + 0.5) / 4
        )
        assert says(view).endswith(f": {DATES[0, 0, i, j]:.3f}")
        assert_lines(view, DATES[0, 0], [(i, j)])
    red = torch.tensor([pixel(view, i, j)[0] for i in range(4) for j in range(9)]).view(4, 9)
    order = DATES[0, 0].flatten().argsort()
    assert (red.flatten()[order].diff() <= 0).all(), "the larger the weight, the darker"
    view.get_by_role("radio", name=re.compile("^Layer 1, head 2;")).click()
    assert pixel(view, 1, 4) == [247, 251, 255], "a weight of 0 has the scale's lightest colour"
    option(view, "queries", 1).hover()
    assert says(view) == "Layer 1, head 2. “12” attends to: nothing"


def test_tokens_are_text_and_views_do_not_meddle(open_views):
    page = open_views("four", "dates", "four", "model")
    for wide in (390, 1000):
        page.set_viewport_size({"width": wide, "height": 900})
        assert page_width(page) <= wide
    assert page.title() != "broken" and page.locator(".head-view b").count() == 0
    first, dates, last = (page.locator(".head-view").nth(i) for i in range(3))
    assert option(dates, "queries", 0).text_content() == EVIL
    last.get_by_role("radio", name=re.compile("^Head 2;")).click()
    assert [chosen(view) for view in (first, dates, last)] == [
        "Head 0",
        "Layer 0, head 0",
        "Head 2",
    ]
    option(dates, "keys", 3).hover()
    assert_lines(dates, DATES[0, 0], [(i, 3) for i in range(4)])
    assert_lines(first, FOUR[0])
    assert_lines(last, FOUR[2])


def test_without_scripts_the_picture_and_the_table_stand_there(open_views):
    view = open_views("model", java_script_enabled=False).locator(".head-view")
    picture = view.locator("img")
    assert picture.is_visible() and picture.bounding_box()["width"] > 300
    assert picture.get_attribute("alt").startswith("Layer 1, head 3: heatmap")
    view.locator("summary").click()
    assert view.locator("table").is_visible()
    assert (table(view) - MODEL[1, 3].flatten()).abs().max() < 0.00051
