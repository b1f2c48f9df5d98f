"""The first page's model, moved by mouse, key and touch; its scores are PyTorch's."""

import random

import pytest
import torch
from chromium import SHOTS
from playwright.sync_api import expect

from attn_lesson import lesson09
from attn_teach import CausalBlock
from tools.site import front_model, towns

LETTERS = ".towns-columns > div:not(:first-child) .towns-sign"


def written(page):
    return "".join(page.locator(LETTERS).all_inner_texts())


def pytorch(data, ids):
    """The scores after each token, by the package's own blocks."""
    header, tensors = towns.unpacked(data)
    table = tensors["embedding.weight"]
    X = table[ids][None]
    for k in range(2):
        block = CausalBlock(64, header["heads"], 128, eps=header["eps"], base=header["base"])
        start = f"blocks.{k}."
        block.load_state_dict({n.removeprefix(start): t for n, t in tensors.items() if start in n})
        X = block(X)
    X = torch.nn.functional.rms_norm(X, (64,), tensors["norm.weight"], header["eps"])
    return (X @ table.T)[0]


def test_every_score_is_pytorchs(open_page):
    page = open_page("index.html")
    data = (front_model.WEB / "towns.bin").read_bytes()
    tokens = towns.unpacked(data)[0]["tokens"]
    names = random.Random(0).sample(lesson09.towns(), 50)
    for country, name in names:
        asked = "([a, name]) => read(townsModel, rowsOf(townsModel, [a, a, 0], [...name])).scores"
        scores = torch.tensor(page.evaluate(asked, [country, name]))
        with torch.no_grad():
            wanted = pytorch(data, [tokens.index(sign) for sign in (country, *name)])
        assert scores.shape == wanted.shape
        assert (scores - wanted).abs().max() < 1e-3


def test_it_writes_by_itself_until_it_is_paused(open_page):
    page = open_page("index.html")
    first = written(page)
    expect(page.locator(".towns-written")).to_have_text("")
    page.wait_for_function(f"[...document.querySelectorAll('{LETTERS}')].length < {len(first)}")
    page.locator(".towns-play").click()
    stopped = written(page)
    page.wait_for_timeout(1500)
    assert written(page) == stopped
    expect(page.locator(".towns-play")).to_have_text("Go on")


@pytest.mark.parametrize("way", ["mouse", "key", "touch"])
def test_another_letter_is_taken_and_it_goes_on_from_there(way, open_page):
    page = open_page("index.html", reduced_motion="reduce", has_touch=way == "touch")
    before = written(page)
    column = page.locator(".towns-columns > div").nth(2)
    other = column.get_by_role("button", pressed=False).nth(1)
    letter = other.inner_text()
    {"mouse": other.click, "touch": other.tap, "key": lambda: other.press("Enter")}[way]()
    assert written(page)[:2] == before[0] + letter
    lines = page.locator(".towns-lines path")
    assert lines.count() == 3  # from the newest sign to itself and the two before it
    widths = lines.evaluate_all("all => all.map(each => Number(each.getAttribute('stroke-width')))")
    assert sum(widths) == pytest.approx(10, abs=0.1)


def test_countries_are_mixed_by_key_and_by_touch(open_page):
    page = open_page("index.html", 390, 844, reduced_motion="reduce", has_touch=True)
    share = page.locator(".towns-share")
    share.focus()
    page.keyboard.press("Home")
    expect(share).to_have_attribute("aria-valuetext", "GB")
    british = written(page)
    page.keyboard.press("End")
    expect(share).to_have_attribute("aria-valuetext", "JP")
    assert written(page) != british
    page.locator(".towns-another").tap()
    expect(page.locator(".towns-told")).not_to_have_text("")
    page.screenshot(path=SHOTS / "front_390.png")


def test_it_stands_on_the_first_screen_and_without_scripts_the_drawing_does(open_page):
    page = open_page("index.html")
    for part in (".towns", ".start"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 768, part
    expect(page.locator(".without")).to_be_hidden()
    page.screenshot(path=SHOTS / "front_1366.png")
    page = open_page("index.html", java_script_enabled=False)
    expect(page.locator(".towns")).to_be_hidden()
    expect(page.locator(".without img")).to_be_visible()
