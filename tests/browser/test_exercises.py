"""Exercises answered in a page: in a real browser, from files, with the network cut."""

import json
import re

import pytest
from chromium import PATIENCE, SHOTS, breaches
from playwright.sync_api import expect

import tests.test_answers as answers
from tools.lessons import lessons, number
from tools.site.tab import exercises, judging

WRONG = "def my_lookahead_mask(num_steps, lookahead):\n{}"
BACKWARDS = "return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(-lookahead)"


@pytest.fixture(scope="module")
def answered():
    judging.use(exercises.told())
    return judging.exercises()


def place(page, name="my_lookahead_mask"):
    return page.locator(f".exercise[data-name={name}]")


def passed(page):
    """The page, whose questions somebody goes on from without choosing."""
    page.evaluate("document.querySelectorAll('.outcome > summary').forEach(line => line.click())")
    return page


def verdict(page, words, name="my_lookahead_mask"):
    found = place(page, name).locator(".verdict")
    expect(found).to_contain_text(words, timeout=1000 * PATIENCE)
    return found


def test_an_answer_by_keyboard_alone_which_stays_and_can_be_taken_along(open_page, tmp_path):
    page = passed(open_page("03_masking"))
    editor = page.get_by_role("textbox", name="Your my_lookahead_mask")
    editor.focus()
    page.keyboard.press("Control+Enter")
    assert "Nothing to check yet" in verdict(page, "Nothing to check").inner_text()
    expect(page.get_by_text("Ctrl+Enter checks")).to_have_count(1)
    page.keyboard.press("Control+a")
    page.keyboard.type(WRONG.format(BACKWARDS))
    assert "    return" in editor.input_value(), "Enter indents below a colon"
    page.keyboard.type("  # p / s ? c * 2")  # keys that mean something elsewhere in the page
    assert "# p / s ? c * 2" in editor.input_value()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Check
    said = verdict(page, "The diagonal moved the wrong way").inner_text()
    assert "expected: [[True, True, False]" in said and "got: " in said
    page.screenshot(path=SHOTS / "exercise.png")
    assert not breaches(page, ".exercise")
    page.reload()
    assert BACKWARDS in editor.input_value()
    for name, file in (("", "my_answers_03"), ('Zoë A/"B" ', "Zoë A-B-_03")):
        place(page).get_by_label("Your name").fill(name)
        with page.expect_download() as download:
            place(page).get_by_role("button", name="Download my answers").click()
        assert download.value.suggested_filename == f"{file}.ipynb"
    download.value.save_as(tmp_path / "mine.ipynb")
    cells = json.loads((tmp_path / "mine.ipynb").read_text())["cells"]
    assert BACKWARDS in cells[1]["source"] and "check(my_lookahead_mask)" in cells[1]["source"]
    page.reload()
    expect(place(page).get_by_label("Your name")).to_have_value('Zoë A/"B" ')
    assert not breaches(page, ".exercise")
    place(page).get_by_role("button", name="Clear").click()
    page.reload()
    assert "your code here" in editor.input_value()
    expect(place(page).get_by_label("Your name")).to_have_value("")


RIGHT = """def my_lookahead_mask(num_steps, lookahead):
    whole = torch.ones(num_steps, num_steps, dtype=torch.bool)
    return whole.tril(lookahead)"""


def copied(page, editor):
    """Select the right answer where it stands in the page."""
    editor.blur()
    page.evaluate(
        """code => { const source = document.createElement("pre"); source.id = "source";
        source.style = "position: fixed; inset: 0 auto auto 0; margin: 0; z-index: 99";
        document.body.append(source); source.textContent = code;
        getSelection().selectAllChildren(source); }""",
        RIGHT,
    )


def typed(page, editor):
    page.keyboard.type(re.sub("\n +", "\n", RIGHT))  # the editor indents


def pasted(page, editor):
    copied(page, editor)
    page.keyboard.press("Control+c")
    editor.press("Control+v")


def dropped(page, editor):
    page.keyboard.press("Delete")
    copied(page, editor)
    page.locator("#source").drag_to(editor)


def put_in_by_an_input_method(page, editor):
    page.keyboard.insert_text(RIGHT)


def inserted(page, editor):
    page.evaluate("code => document.execCommand('insertText', false, code)", RIGHT)


@pytest.mark.parametrize("within", ["browser", "firefox"])
def test_what_is_shown_is_judged_however_it_was_put_in_and_can_be_undone(within, open_page):
    page = passed(open_page("03_masking", within=within, reduced_motion="reduce"))
    editor = page.get_by_role("textbox", name="Your my_lookahead_mask")
    key, stub = "attn-teach/03/my_lookahead_mask", editor.input_value()

    by_hand = [dropped, put_in_by_an_input_method]  # which only Chromium has here
    for way in [typed, pasted, inserted, *by_hand * (within == "browser")]:
        editor.press("Control+a")
        way(page, editor)
        assert editor.input_value() == RIGHT, way
        assert editor.locator("xpath=following-sibling::*").inner_text() == RIGHT, way
        assert page.evaluate("key => localStorage.getItem(key)", key) == RIGHT, way
        editor.press("Control+Enter")
        verdict(page, "Correct on")
        undone = 0
        while editor.input_value() != stub:
            editor.press("Control+z")
            undone += 1
            assert undone < 9, way  # it does not go letter by letter
        assert editor.locator("xpath=following-sibling::*").inner_text() == stub, way
        editor.fill(RIGHT)
        place(page).get_by_role("button", name="Begin again").click()
        assert editor.input_value() == stub
        editor.press("Control+z")
        assert editor.input_value() == RIGHT
        place(page).get_by_role("button", name="Begin again").click()
        expect(place(page).locator(".verdict")).to_have_text("")
        page.evaluate("document.querySelector('#source')?.remove()")
    hidden = "e => e.scrollHeight - e.clientHeight + e.scrollWidth - e.clientWidth"
    editor.fill(f"{RIGHT}\n{'# a long line ' * 20}\n\n")
    assert editor.evaluate(hidden) == 0, "it grows with what is in it"
    page.screenshot(path=SHOTS / f"editor_{within}.png")


def test_what_never_ends_or_reaches_out_is_stopped_and_the_page_goes_on(open_page):
    page = open_page("03_masking")

    def said(body, name="my_lookahead_mask"):
        code = WRONG.format(f"    {body}")
        return page.evaluate("([n, c]) => exercises.check(n, c)", [name, code])

    assert "had not ended after 10 seconds" in said("while True: pass")[1]
    for reaches in (
        "import js; js.fetch('https://a.invalid')",
        "import js; js.XMLHttpRequest.new()",
    ):
        status, told = said(reaches)
        assert status == "wrong" and "raises an error" in told
    imported = "import js; js.eval(\"import('https://a.invalid/x.js')\")"
    assert said(imported)[0] == "wrong"
    assert "more memory than there is" in said("a = []\n    while True: a.append(bytes(10**7))")[1]
    assert said(BACKWARDS)[1].startswith("The diagonal moved the wrong way")


def test_what_was_written_is_taken_as_the_notebook_takes_it(open_page, answered):
    """The lessons' answers and stubs, learners' right answers, a wrong one of each exercise.

    Python there has 32 bits.
    """
    page = open_page("03_masking")

    def said(name, code):
        return page.evaluate("([n, c]) => exercises.check(n, c)", [name, code])

    for name, (stub, answer) in answered.items():
        told = said(name, answer)
        assert told[0] in ("right", "numbers"), (name, told)
        assert said(name, stub)[0] == "wrong"
    named = set()
    for (name, kind, *about), code in (b for path in lessons() for b in answers.blocks(path)):
        if name in answered and kind != "wrong":
            told = said(name, code)
            assert told[0] == judging.check(name, code)[0], (name, about, told)
        elif name in answered and name not in named:
            status, told = said(name, code)
            named |= {name} if status == "wrong" and about[-1].lower() in told.lower() else set()
    assert named == set(answered)


@pytest.mark.parametrize("path", lessons(), ids=number)
def test_each_exercise_has_an_editor(path, open_page, answered):
    page = open_page(path.stem)
    names = page.locator(".exercise").evaluate_all(
        "all => all.flatMap(e => e.dataset.name.split(' '))"
    )
    there = re.findall(r"def (my_\w+)", "\n".join(page.locator("pre").all_inner_texts()))
    assert names and not set(names) & {*there}
    assert set(names) <= set(answered)


def test_what_was_written_in_another_editor_may_be_called(open_page):
    page = open_page("03_masking")
    real = "torch.arange(num_keys) < valid_lens[:, None, None]"
    past = "torch.ones(num_steps, num_steps, dtype=torch.bool).tril()"
    both = f"my_padding_mask(valid_lens, num_steps) & {past}"
    written = {
        "my_padding_mask(valid_lens, num_keys)": real,
        "my_causal_padding_mask(valid_lens, num_steps)": both,
    }
    for called, returned in written.items():
        name = called.partition("(")[0]
        code = f"def {called}:\n    return {returned}"
        page.evaluate("([k, c]) => localStorage.setItem(k, c)", [f"attn-teach/03/{name}", code])
    page.reload()
    place(page, name).get_by_role("button", name="Check").click()
    verdict(page, "Correct on", name)
    place(page, name).get_by_role("button", name="Begin again").click()
    expect(place(page, name).locator(".verdict")).to_have_text("")


def test_on_a_phone(open_page):
    page = passed(open_page("03_masking", 390, 844, has_touch=True, is_mobile=True))
    editor = page.get_by_role("textbox", name="Your my_lookahead_mask")
    editor.tap()
    page.keyboard.press("Control+a")
    page.keyboard.type(WRONG.format(BACKWARDS))
    place(page).get_by_role("button", name="Check").tap()
    verdict(page, "The diagonal moved the wrong way")
    place(page).scroll_into_view_if_needed()
    page.screenshot(path=SHOTS / "exercise_phone.png")
    told = page.get_by_text("Kept in this browser alone")
    expect(told).to_have_count(1)
    expect(told).not_to_contain_text("Ctrl+Enter")  # where there may be no keys
    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(beyond) == 0, "the page does not move sideways"
    buttons = place(page).get_by_role("button").all()
    sizes = [button.bounding_box() for button in buttons if button.is_visible()]
    assert sizes and min(size["height"] for size in sizes) >= 32, "a finger finds them"


def test_without_python_the_page_says_how_to_do_it(open_page):
    page = open_page("03_masking")
    page.evaluate("Worker = function () { throw new Error('no workers here'); }; 0")
    status, told = page.evaluate("exercises.check('my_lookahead_mask', 'x')")
    assert status == "cannot" and "In the notebook it works" in told
