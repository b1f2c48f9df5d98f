"""A lesson in a hall: every step by arrow alone, nothing lost, letters for the last row."""

import itertools
import re

import pytest
from chromium import SHOTS, breaches
from playwright.sync_api import expect

from tools.course import course

NOW = "[...document.querySelectorAll('article .now')]"
STATE = """() => ({place: document.querySelector('.present-bar output').textContent, y: scrollY,
  size: parseFloat(getComputedStyle(document.querySelector('article')).fontSize),
  wide: document.documentElement.scrollWidth,
  leads: NOW.at(-1).matches("h1, h2, h3") || /:$/.test(NOW.at(-1).innerText.trim())
    || /^(Choose|Drag|Switch|Type)\\./.test(NOW.at(-1).innerText),
  bare: NOW.every(each => each.matches(".highlight-python")),
  early: NOW.some((each, i) => each.matches(".highlight-python")
    && NOW[i - 1]?.matches(".figure, .output") && !each.nextElementSibling?.matches(".output")),
  small: NOW.filter(each => each.matches(".highlight-python")).filter(each => {
    const letters = getComputedStyle(each.querySelector("pre")), lines = document.createRange();
    lines.selectNodeContents(each.querySelector("pre"));
    return letters.whiteSpace !== "pre" || (parseFloat(letters.fontSize) < 0.028 * innerHeight
      && lines.getBoundingClientRect().width < 0.9 * innerWidth);
  }).map(each => each.innerText.slice(0, 80)),
  cut: NOW.flatMap(each => [each, ...each.querySelectorAll('math[display=block], pre')])
    .filter(each => each.scrollWidth > each.clientWidth + 1)
    .map(each => each.outerHTML.slice(0, 80)),
  low: NOW.flatMap(each => [each, ...each.querySelectorAll("*")]).filter(each =>
    each.checkVisibility() && [...each.childNodes].some(node => node.nodeType === 3
      && node.data.trim())
    && !each.closest('math, pre, .head-view, .which, script, .visually-hidden')
    && !each.closest('.now[style*="font-size"]')
    && parseFloat(getComputedStyle(each).fontSize) < innerHeight / 30 - 0.01)
    .map(each => each.outerHTML.slice(0, 80)),
  moved: NOW.filter(each => each.dataset.seen && each.dataset.seen !== NUMBER)
    .map(each => each.innerText.slice(0, 80)),
  asks: NOW.slice(0, -1).some(each => each.matches('.predict')),
  full: (NOW.at(-1).getBoundingClientRect().bottom - NOW[0].getBoundingClientRect().top)
    / (innerHeight - document.querySelector('.present-bar').offsetHeight),
  turn: NOW.some(each => each.closest(".exercise, .found") || /^Your turn/.test(each.innerText)),
  seen: NOW.forEach(each => { each.dataset.seen = NUMBER; })})""".replace("NOW", NOW)
NUMBER = "/\\d+/.exec(document.querySelector('.present-bar output').textContent)[0]"
STATE = STATE.replace("NUMBER", NUMBER)
KINDS = [".predict", ".figure, .diagram", "ul, ol", ".output", "p, h1, h2, h3, math[display=block]"]
LEFT_OUT = ["#answers-to-the-predictions", ".to-run", ".links", ".behind", ".without"]


def walked(page, key="ArrowRight"):
    """The state at every step, from here on until the key changes nothing."""
    states = [page.evaluate(STATE)]
    while True:
        page.keyboard.press(key)
        states.append(page.evaluate(STATE))
        if states[-1] == states[-2]:
            return states[:-1]


@pytest.fixture
def present(open_page):
    """A function that shows a lesson in a hall, as far as there is this."""

    def shown(name, until=None, **options):
        page = open_page(name, 1920, 1080, **options)
        page.keyboard.press("p")
        while until and not page.locator(until).count():
            page.keyboard.press("PageDown")
        return page, page.locator(".present-bar output")

    return shown


@pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)
def test_a_lesson_is_shown_from_first_to_last_page_by_arrow_alone(lesson, present):
    page, at = present(lesson.path.stem)
    states = walked(page)
    total = len(states)  # no page is longer than the screen
    assert [state["place"] for state in states] == [f"{i + 1} / {total}" for i in range(total)]
    assert 32 <= total <= 55
    assert all(state["size"] >= 1080 / 30 and state["full"] <= 1 for state in states)
    assert not [(state["place"], state["low"]) for state in states if state["low"]]
    # Turns have pages of their own, so the next one begins anew.
    apart = {id(b) for a, b in itertools.pairwise(states) if a["turn"] or b["turn"]}
    assert sum(state["full"] < 0.6 and id(state) not in apart for state in states) <= 6
    assert not [state["cut"] for state in states if state["cut"]]
    assert not [
        state["small"] for state in states if state["small"]
    ]  # a long line fills the screen
    wrong = [s["place"] for s in states if s["leads"] or s["asks"] or s["bare"] or s["early"]]
    assert not wrong and not any(state["wide"] > 1920 for state in states)
    out = "".join(f":not({kind}, {kind} *)" for kind in LEFT_OUT)
    for kind in KINDS:
        counted = page.locator(f"article :is({kind}){out}")
        missing = counted.locator("xpath=self::*[not(ancestor-or-self::*[@data-seen])]")
        left = missing.evaluate_all("all => all.map(e => e.outerHTML.slice(0, 80))")
        assert counted.count() and not left, (kind, left)
    page.screenshot(path=SHOTS / f"present_{lesson.number}.png")
    page.keyboard.press("Home")
    expect(at).to_have_text(f"1 / {total}")


def test_on_a_small_screen_nothing_lies_under_the_bar(open_page):
    page = open_page("05_self_attention")
    page.keyboard.press("p")
    lowest = f"() => {NOW}.at(-1).getBoundingClientRect().bottom"
    bar, at = page.locator(".present-bar"), page.locator(".present-bar output")
    for _ in range(12):
        assert page.evaluate(lowest) <= bar.bounding_box()["y"] + 1, at.inner_text()
        page.keyboard.press("ArrowRight")


def test_tables_and_pictures_stand_for_their_code_until_it_is_asked_for(present):
    page, _ = present("03_masking", ".output.table.now")
    code, table = page.locator("article .highlight-python:visible"), page.locator(".table.now")
    expect(code).to_have_count(0)
    told = table.first.inner_text()
    page.keyboard.press("c")
    expect(code.first).to_contain_text("table(")
    assert told == table.first.inner_text()
    page.get_by_role("button", name="Code").click()
    expect(code).to_have_count(0)


def test_code_goes_on_under_the_number_of_its_step(present):
    page, at = present("09_towns")
    states = walked(page)
    page.keyboard.press("Home")
    page.keyboard.press("c")
    coded = walked(page)
    assert not [state["moved"] for state in coded if state["moved"]]
    numbers = [state["place"].partition(" ")[0].partition(".")[0] for state in coded]
    assert list(dict.fromkeys(numbers)) == [state["place"].partition(" ")[0] for state in states]
    assert len({state["place"] for state in coded}) > 1.3 * len(states)
    assert page.locator("article .behind:not([data-seen])").count() == 0
    number = at.inner_text()
    page.keyboard.press("c")
    assert number.partition(".")[0] in at.inner_text()


def test_a_page_keeps_its_number_over_a_reload_with_code_and_its_place_without(present):
    page, at = present("09_towns")
    page.keyboard.press("c")
    bare = "() => [...document.querySelectorAll('.now')].every(e => e.matches('.highlight-python'))"
    while not page.evaluate(bare):
        page.keyboard.press("PageDown")
    before, wanted = at.inner_text(), page.locator(".present-bar span").inner_text()
    page.reload()
    expect(at).to_have_text(before)
    assert page.evaluate(bare)
    page.keyboard.press("c")
    expect(page.locator(".present-bar span")).to_have_text(wanted)
    assert not at.inner_text().startswith("1 /")


def test_the_vote_comes_before_the_answer_and_space_leads_on_after_it(present):
    page, at = present("03_masking", ".predict.now")
    before = at.inner_text()
    page.locator(".predict.now button").first.click()
    expect(page.locator(".reveal").first).to_be_hidden()
    page.keyboard.press(" ")
    expect(at).not_to_have_text(before)
    while not page.locator(".reveal.in").count():
        page.keyboard.press("PageDown")
    expect(page.locator(".predict").first).to_be_hidden()


def test_hands_stand_beside_their_letter_and_all_on_one_line(present):
    page, _ = present("01_kernel_regression", ".predict.now")
    parts = page.locator(".predict.now :is(button, .votes)").all()
    boxes = [part.bounding_box() for part in parts]
    assert len(boxes) == 8
    middles = {round(box["y"] + box["height"] / 2) for box in boxes}
    assert max(middles) - min(middles) <= 2, middles
    assert all(a["x"] < b["x"] for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it_in_a_hall(scheme, present):
    page, _ = present("07_real_model", color_scheme=scheme)
    for _ in range(12):  # a text, a table, code, a picture, a view of heads
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert breaches(page, ".now, .present-bar") == []


def test_a_slider_keeps_its_arrows_and_a_clicker_leads_on(present):
    page, at = present("05_self_attention", ".explore.now")
    field, picture = page.locator(".explore.now input").first, page.locator(".explore.now img")
    before, shown = at.inner_text(), picture.get_attribute("src")
    field.press("ArrowRight")
    expect(picture).not_to_have_attribute("src", shown)
    expect(at).to_have_text(before)
    field.press("PageDown")
    expect(at).not_to_have_text(before)
    page.keyboard.press("PageUp")
    page.locator("body").click(position={"x": 5, "y": 5})
    for there, back in (("ArrowRight", "ArrowLeft"), (" ", "Shift+ "), ("ArrowDown", "Backspace")):
        expect(at).to_have_text(before)
        page.keyboard.press(there)
        expect(at).not_to_have_text(before)
        page.keyboard.press(back)
    expect(at).to_have_text(before)


def test_the_speaker_sees_notes_a_clock_and_what_comes_next_and_escape_leads_back(open_page):
    page = open_page("01_kernel_regression")
    page.get_by_role("button", name="Present").click()
    at = page.locator(".present-bar output")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Notes (S)").click()
    opened.value.close()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value
    expect(notes.locator("#notes")).not_to_have_text("")
    expect(notes.locator("#time")).to_contain_text("minutes")
    size = "each => parseFloat(getComputedStyle(each).fontSize)"
    assert notes.locator("#time b").evaluate(size) == 2 * notes.locator("#time").evaluate(size)
    before = at.inner_text()
    notes.bring_to_front()
    notes.locator("body").press("PageDown")
    expect(at).not_to_have_text(before)
    expect(notes.locator("#time")).to_contain_text(re.compile(r"^\d:\d\d since"))
    while not page.locator(".figure.now").count():
        page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    page.wait_for_timeout(1200)
    expect(notes.locator("#next")).to_have_text(re.compile(r"^[^¶]{10,}([.?!:]|…|[a-z])$"))
    left = at.inner_text()
    page.keyboard.press("Escape")
    expect(page.locator(".present-bar")).to_have_count(0)
    assert page.locator("article p:visible").count() > 10
    assert page.locator("details.outcome[open]").count() <= 1
    page.keyboard.press("p")
    expect(at).to_have_text(left)


def test_a_reload_keeps_the_clock_the_notes_and_the_votes(present):
    page, at = present("03_masking", ".predict.now")
    votes = page.get_by_label("Hands for B")
    page.get_by_label("Hands for D").first.fill("33")
    votes.first.fill("1x7")
    # At once, before the browser itself takes the focus from a field that is gone.
    assert votes.first.evaluate(
        "field => { const down = new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true });"
        " field.dispatchEvent(down); return document.activeElement === document.body }"
    ), "keys are the hall's again"
    told = page.locator(".tally.now")  # above what comes out, in the page's letters
    expect(told.locator("span")).to_have_text(["A 0 · 0%", "B 17 · 34%", "C 0 · 0%", "D 33 · 66%"])
    state = page.evaluate(STATE)
    assert state["full"] <= 1 and told.evaluate("e => getComputedStyle(e).fontSize") == (
        page.locator("article").evaluate("e => getComputedStyle(e).fontSize")
    )
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    before = at.inner_text()
    page.wait_for_timeout(2100)
    page.reload()
    expect(at).to_have_text(before)
    with page.expect_popup() as again:
        page.keyboard.press("PageUp")
    assert opened.value.is_closed()
    expect(at).not_to_have_text(before)
    minutes, seconds = again.value.locator("#time").inner_text().partition(" ")[0].split(":")
    assert (minutes, int(seconds) >= 2) == ("0", True), "it goes on, and does not begin anew"
    expect(votes.first).to_have_value("17")
    expect(told).to_have_count(0)
    page.get_by_label("Hands for D").first.fill("")
    votes.first.fill("")
    page.keyboard.press("PageDown")
    expect(told).to_have_count(0)  # nothing where nobody voted
    page.keyboard.press("PageUp")
    page.keyboard.press("Escape")
    expect(votes.first).to_be_hidden()
