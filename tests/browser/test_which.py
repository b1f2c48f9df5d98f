"""Which model is it?: its numbers are CausalAttention's, and it is played by hand, key and ear."""

import random
import re

import pytest
import torch
from chromium import SHOTS, page_width
from playwright.sync_api import expect

from tools.site import which

families = which.families
NAMES = list(which.SETTINGS)
COMPUTED = "([n, chosen]) => (({ output, off }) => [output, off])(computed(MODELS[n - 1], chosen))"
KNOWN = [number for number, model in families.models().items() if model["parts"]]


def places(chosen):
    """A player's choices as the page has them: {switch: the setting's place}."""
    return {name: which.SETTINGS[name].index(chosen[name]) for name in NAMES}


def drawn(count):
    """Each family's own settings, and others by chance: (model, choices)."""
    chance = random.Random(0)
    yield from ((number, which.choices(number)) for number in KNOWN)
    for _ in range(count):
        chosen = {name: chance.choice(settings) for name, settings in which.SETTINGS.items()}
        yield chance.choice(list(families.models())), chosen


@torch.no_grad()
@pytest.mark.parametrize(("within", "count"), [("browser", 100), ("firefox", 10)])
def test_its_numbers_are_those_of_causal_attention(within, count, open_page):
    page = open_page("which", within=within)
    for place, (number, chosen) in enumerate(drawn(count)):
        one, parts = families.models()[number], families.parts(number, **chosen)
        wanted = families.layer(one["numbers"], **parts)(one["tokens"])[0]
        output, off = map(torch.tensor, page.evaluate(COMPUTED, [number, places(chosen)]))
        torch.testing.assert_close(output, wanted, atol=2e-5, rtol=0)
        torch.testing.assert_close(off, families.off(number, **parts), atol=4e-5, rtol=0)
        if place < len(KNOWN):
            assert off.max() < 2e-5


def throw(page, chosen):
    """Choose settings by hand."""
    for name, setting in places(chosen).items():
        page.locator(f"[name=which-{name}][value='{setting}'] + span").click()


def code(page):
    return page.locator(".which pre").evaluate("pre => pre.innerText").rstrip("\n") + "\n"


@pytest.mark.parametrize("name", ["which", which.LESSON.stem])
def test_who_finds_a_model_is_told_its_name_and_keeps_it(name, open_page):
    page = open_page(name)
    number, count = page.locator(".which-number"), page.locator(".which-count")
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    expect(count).to_have_text("Found 0 of 10")
    expect(number).to_have_text(f"{families.off(1, **families.parts(1, **first())).max():.4f}")
    expect(page.locator(".which-name")).to_have_text("?")
    for found, model in enumerate((2, 9), 1):
        right = which.choices(model)
        page.locator(".which-model").select_option(index=model - 1)
        throw(page, right)
        expect(number).to_have_text("0.0000")
        called = families.models()[model]["name"]
        expect(page.locator(".which-told > p strong")).to_have_text(called)
        expect(page.locator(".which-said")).to_have_text(
            f"Largest difference 0.0000. Found: {called}."
        )
        assert code(page) == which.listing(right, families.models()[model]["parts"]["base"])
        expect(count).to_have_text(f"Found {found} of 10")
    page.locator(".which").screenshot(path=SHOTS / f"which_{name}.png")
    page.reload()
    expect(count).to_have_text("Found 2 of 10")
    expect(page.locator(".which-model option").nth(1)).to_have_text("2: Mistral")
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    page.locator(".which").get_by_role("button", name="Clear").click()
    expect(count).to_have_text("Found 0 of 10")
    page.reload()
    expect(count).to_have_text("Found 0 of 10")


def first():
    return {name: settings[0] for name, settings in which.SETTINGS.items()}


def test_by_keyboard_alone_a_model_is_drawn_and_the_number_is_said(open_page):
    page = open_page("which")
    page.locator(".which-model").focus()
    said = page.locator(".which-said")
    assert said.get_attribute("role") == "status"  # which is polite
    before = said.inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(said).not_to_have_text(before)
    assert page.locator(".which-model").evaluate("e => e.selectedIndex") != 0
    page.locator(".which-model").select_option("1")
    page.locator(".which-draw").focus()
    for name in NAMES:
        page.keyboard.press("Tab")
        expect(page.locator(f"[name=which-{name}]").first).to_be_focused()
    squares = page.locator(".which-looks svg").inner_html()
    page.keyboard.press("ArrowRight")  # base: larger
    expect(said).to_have_text("Largest difference 0.0000. Found: Llama 3.")
    assert page.locator(".which-looks svg").inner_html() != squares
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text(
        re.compile(r"^Largest difference 1\.7914\. Tokens that are off: 1, 2")
    )
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    label = "Weights of head 2. Each token looks most at: 0, "
    expect(page.locator(".which-looks svg")).to_have_attribute("aria-label", re.compile(label))


def test_each_square_is_as_dark_as_its_number(open_page):
    page = open_page("which")
    chosen = first() | {"window": True, "sink": True}
    throw(page, chosen)
    layer = families.layer(families.models()[1]["numbers"], **families.parts(1, **chosen))
    layer(families.models()[1]["tokens"])
    asked = "all => all.map(each => Number(each.getAttribute('fill-opacity')))"
    seen = torch.tensor(page.locator(".which-looks rect").evaluate_all(asked)).view(12, 12)
    torch.testing.assert_close(seen, layer.attention_weights[0, 0], atol=6e-4, rtol=0)
    off = torch.tensor(page.locator(".which-tokens rect").evaluate_all(asked))
    wanted = families.off(1, **families.parts(1, **chosen)).clamp(max=1)
    torch.testing.assert_close(off, wanted, atol=6e-4, rtol=0)


def test_on_a_phone_the_number_stays_in_sight_and_model_11_leads_to_the_lesson(open_page):
    page = open_page("which", 360, 740, has_touch=True, color_scheme="dark")
    page.locator("[name=which-base] + span").last.scroll_into_view_if_needed()
    page.locator("[name=which-base] + span").last.tap()
    expect(page.locator(".which-number")).to_have_text("0.0000")
    expect(page.locator(".which-number")).to_be_in_viewport(ratio=1)
    expect(page.locator(".which-last")).to_be_hidden()
    page.locator(".which-model").select_option("11")
    expect(page.locator(".which-last a")).to_have_attribute("href", re.compile(which.LESSON.stem))
    assert page_width(page) == 360
    page.screenshot(path=SHOTS / "which_360.png", full_page=True)


def test_few_words_stand_around_it_and_without_scripts_a_sentence_does(open_page):
    page = open_page("which", java_script_enabled=False)
    expect(page.locator(".which")).to_be_hidden()
    expect(page.locator(".without")).to_contain_text("scripts")
    assert len(page.locator("article").inner_text().split()) <= 120
    page = open_page(which.LESSON.stem, java_script_enabled=False)
    expect(page.locator(".which")).to_be_hidden()
