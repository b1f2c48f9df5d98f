"""A lesson in a hall: every step by arrow alone, nothing lost, letters for the last row."""

import pytest
from chromium import SHOTS
from playwright.sync_api import expect

from tools.course import course

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)
NOW = "[...document.querySelectorAll('article .now')]"
STATE = """() => ({place: document.querySelector('.present-bar output').textContent,
  kinds: NOW.map(e => e.className.split(' ')[0] || e.tagName), y: scrollY,
  size: parseFloat(getComputedStyle(document.querySelector('article')).fontSize),
  wide: document.documentElement.scrollWidth, alone: NOW.length === 1,
  over: NOW.at(-1).getBoundingClientRect().bottom - innerHeight,
  seen: NOW.forEach(each => { each.dataset.seen = true; })})""".replace("NOW", NOW)


def walked(page, key="ArrowRight"):
    """The state at every step, from here on until the key changes nothing."""
    states = [page.evaluate(STATE)]
    while True:
        page.keyboard.press(key)
        states.append(page.evaluate(STATE))
        if states[-1] == states[-2]:
            return states[:-1]


@LESSONS
def test_a_lesson_is_shown_from_first_to_last_step_by_arrow_alone(lesson, open_page):
    page = open_page(f"{lesson.path.stem}.html", 1920, 1080)
    asked, figures, lists = (
        page.locator(f"article {kind}").count() for kind in (".predict", ".figure", "section > ul")
    )
    page.keyboard.press("p")
    states = walked(page)
    total = int(states[-1]["place"].split(" / ")[1])
    assert states[-1]["place"] == f"{total} / {total}"
    assert len(states) <= 1.2 * total  # hardly any page is longer than the screen
    assert all(state["size"] >= 0.022 * 1080 - 1 for state in states)
    assert all(state["wide"] <= 1920 for state in states)
    assert all(state["alone"] or state["over"] <= 0 for state in states if state["y"] == 0)
    hidden = "#answers-to-the-predictions"
    for kind, count in ((".predict", asked), (".figure", figures), ("section > ul", lists)):
        missing = page.locator(
            f"article {kind}:not([data-seen]):not([data-seen] *):not({hidden} *)"
        )
        left = missing.evaluate_all("all => all.map(e => e.outerHTML.slice(0, 80))")
        assert count and not left, (kind, left)
    page.screenshot(path=SHOTS / f"present_{lesson.number}.png")
    back = walked(page, "PageUp")
    assert back[-1]["place"] == f"1 / {total}"


def test_the_vote_comes_before_the_answer(open_page):
    page = open_page("03_masking.html", 1920, 1080)
    page.keyboard.press("p")
    while not page.locator(".predict.now").count():
        page.keyboard.press(" ")
    page.locator(".predict.now button").first.click()
    expect(page.locator(".reveal").first).to_be_hidden()
    while not page.locator(".reveal.in").count():
        page.keyboard.press("PageDown")
    expect(page.locator(".predict").first).to_be_hidden()


def test_escape_leads_back_to_the_page_as_it_was(open_page):
    page = open_page("01_kernel_regression.html")
    page.get_by_role("button", name="Present").click()
    for _ in range(5):
        page.keyboard.press("PageDown")
    page.keyboard.press("Escape")
    expect(page.locator(".present-bar")).to_have_count(0)
    assert page.locator("article p:visible").count() > 10
    assert page.locator("details.outcome[open]").count() <= 1


def test_the_speaker_sees_notes_a_clock_and_what_comes_next(open_page):
    page = open_page("01_kernel_regression.html")
    page.keyboard.press("p")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value
    expect(notes.locator("#notes")).not_to_have_text("")
    expect(notes.locator("#time")).to_contain_text("minutes")
    before = page.locator(".present-bar output").inner_text()
    notes.bring_to_front()
    notes.locator("body").press("PageDown")
    expect(page.locator(".present-bar output")).not_to_have_text(before)
    expect(notes.locator("#time")).to_contain_text("0:0")
