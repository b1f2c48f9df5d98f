"""The lessons as people use them: opened, run, dragged, answered and typed into.

A JupyterLab with settings of its own runs on this machine, and a headless Chromium uses it.
Screenshots are kept in build/screenshots.
"""

import ast
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from chromium import PATIENCE, SHOTS
from playwright.sync_api import expect

from tools.lessons import ROOT, lessons, number
from tools.notebook import of_type


def controls(path):
    """What controls a lesson's `explore` has: "text" or "slider" for each."""
    trees = [ast.parse(cell.source) for cell in of_type(nbformat.read(path, 4), "code")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {
        getattr(node.targets[0], "id", None)
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(getattr(node.value, "value", None), str)
    }
    calls = [n for n in nodes if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "explore"]
    values = [keyword.value for call in calls for keyword in call.keywords]
    typed = [
        isinstance(getattr(v, "value", None), str) or getattr(v, "id", "") in texts for v in values
    ]
    return {"text" if each else "slider" for each in typed}


LESSONS = [path.name for path in lessons()]
TYPED = [path.name for path in lessons() if "text" in controls(path)]
SLID = [path.name for path in lessons() if controls(path) == {"slider"}]
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
ERROR = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]'


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Copies of the lessons."""
    folder = tmp_path_factory.mktemp("lab") / "notebooks"
    shutil.copytree(ROOT / "notebooks", folder)
    return folder


@pytest.fixture(scope="session")
def lab(folder):
    """The address of a running JupyterLab that shows the copies of the lessons."""
    root, folder = folder, folder.parent
    places = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    environment = {
        **os.environ,
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    environment |= {f"JUPYTER_{place}": str(folder / place) for place in places}
    environment |= {
        f"JUPYTERLAB_{place}": str(folder / place) for place in ("SETTINGS_DIR", "WORKSPACES_DIR")
    }
    settings = folder / "SETTINGS_DIR" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(
        json.dumps({"fetchNews": "false", "checkForUpdates": False})
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
    ]
    command += ["--IdentityProvider.token=lessons", f"--ServerApp.root_dir={root}"]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        try:
            until(lambda: server.poll() is not None or answers(address))
            assert server.poll() is None
        except AssertionError:
            pytest.fail(f"JupyterLab did not start:\n{(folder / 'log').read_text()[-2000:]}")
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE)


def until(condition):
    """Wait for what happens at once on an idle machine; return it."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    return found


def answers(address):
    try:
        return urllib.request.urlopen(f"{address}/api?token=lessons", timeout=5)
    except OSError:
        return None


def asked(address):
    """What the server answers."""
    with urllib.request.urlopen(f"{address}?token=lessons") as answer:
        return json.load(answer)


@pytest.fixture
def page(browser, request):
    """A page of its own; a screenshot of its end is kept in build/."""
    page = browser.new_page(viewport={"width": 1100, "height": 1400})
    page.set_default_timeout(1000 * PATIENCE)
    yield page
    page.screenshot(path=SHOTS / f"{request.node.name}.png")
    page.close()


def open_lesson(page, lab, name):
    page.goto(f"{lab}/doc/tree/{name}?token=lessons&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    # JupyterLab says "idle" before there is a kernel, and loses what is clicked then.
    until(lambda: any(name in s["path"] and s["kernel"] for s in asked(f"{lab}/api/sessions")))
    page.wait_for_selector(IDLE)


def start_all(page):
    """Run all cells; return when the kernel is at work, or has been."""
    page.evaluate(WATCH)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('li.lm-Menu-item[data-command="runmenu:run-all"]')
    page.wait_for_function("window.wasBusy")


WATCH = """() => {
  const busy = '.jp-Notebook-ExecutionIndicator[data-status="busy"]';
  window.wasBusy = false;
  new MutationObserver(() => { window.wasBusy ||= !!document.querySelector(busy) })
    .observe(document, {subtree: true, childList: true, attributeFilter: ["data-status"]});
}"""


def run_all(page):
    start_all(page)
    page.wait_for_selector(IDLE, timeout=4000 * PATIENCE)


def moves(picture, seen):
    """Wait until the picture is another one than was seen."""
    expect(picture).not_to_have_attribute("src", seen)


def push(slider):
    """Move a slider by one step, to the left where it stands at its right end."""
    slider.focus()
    place = slider.get_attribute("aria-valuenow")
    slider.press("ArrowRight")
    if slider.get_attribute("aria-valuenow") == place:
        slider.press("ArrowLeft")


def clear_all(page):
    page.click('.lm-MenuBar-itemLabel:text-is("Edit")')
    page.click('li.lm-Menu-item[data-command="editmenu:clear-all"]')


def scroll_to(page, y):
    return page.evaluate(
        """y => { const e = document.querySelector('.jp-WindowedPanel-outer');
                  e.scrollTop = y; return e.scrollHeight }""",
        y,
    )


def pages_of(page):
    """Scroll through the notebook, one screen after the other."""
    y, height = 0, scroll_to(page, 0)
    while y < height:
        time.sleep(0.4)
        yield y
        y += 1200
        height = scroll_to(page, y)


def bring_into_view(page, selector):
    """Scroll until the selector is there; the page keeps only cells near the view."""
    found = page.locator(selector)
    until(lambda: any(found.count() for _ in pages_of(page)))
    found.first.scroll_into_view_if_needed()
    return found.first


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_runs_without_an_error(page, lab, name):
    open_lesson(page, lab, name)
    clear_all(page)
    run_all(page)
    prompts, broken = set(), []
    for place, _ in enumerate(pages_of(page)):
        page.screenshot(path=SHOTS / f"{number(name)}_{place:02d}.png")
        assert page.locator(ERROR).count() == 0
        prompts |= set(page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts())
        broken += page.evaluate(
            "() => [...document.querySelectorAll('.jp-Notebook img')]"
            ".filter(i => i.complete && !i.naturalWidth).map(i => i.alt)"
        )
    assert not [p for p in prompts if p.strip() and not re.fullmatch(r"\[\d+\]:", p)]
    assert not broken, "pictures that do not show"


@pytest.mark.parametrize("name", TYPED)
def test_a_typed_text_changes_the_picture(page, lab, name):
    open_lesson(page, lab, name)
    run_all(page)
    field = bring_into_view(page, ".jp-OutputArea-output input[type=text]")
    area = page.locator(".jp-OutputArea:has(input[type=text])").first
    picture = area.locator("img").first
    seen = picture.get_attribute("src")
    field.fill("8 March 1999")
    field.press("Enter")
    moves(picture, seen)
    page.wait_for_timeout(500)  # until the browser has drawn it
    page.screenshot(path=SHOTS / f"{number(name)}_typed.png")


@pytest.mark.parametrize("name", SLID)
def test_a_slider_moves_the_picture(page, lab, name):
    open_lesson(page, lab, name)
    run_all(page)
    handle = bring_into_view(page, ".jp-OutputArea-output .noUi-handle")
    area = page.locator(".jp-OutputArea:has(.noUi-handle)").first
    picture = area.locator("img").first
    seen = picture.get_attribute("src"), picture.get_attribute("alt")
    assert area.get_by_role("slider").first.get_attribute("aria-label"), "a slider has no name"
    push(handle)
    moves(picture, seen[0])
    assert len(picture.get_attribute("alt")) > 20
    # Different files are different pictures: their pixels differ too.
    pixels = page.evaluate(
        """async ([a, b]) => { const load = s => new Promise(r => { const i = new Image();
             i.onload = () => { const c = document.createElement('canvas'); c.width = i.width;
             c.height = i.height; const x = c.getContext('2d'); x.drawImage(i, 0, 0);
             r(x.getImageData(0, 0, c.width, c.height).data) }; i.src = s });
             const [p, q] = [await load(a), await load(b)];
             let n = 0; for (let i = 0; i < Math.min(p.length, q.length); i++) n += p[i] != q[i];
             return n + Math.abs(p.length - q.length) }""",
        [seen[0], picture.get_attribute("src")],
    )
    assert pixels > 100
    page.screenshot(path=SHOTS / f"{number(name)}_slider.png")


@pytest.mark.parametrize("name", LESSONS)
def test_a_question_reacts_to_wrong_and_right(page, lab, name):
    open_lesson(page, lab, name)
    run_all(page)
    bring_into_view(page, ".jp-OutputArea-output input[type=radio]")
    area = page.locator(".jp-OutputArea:has(input[type=radio])").first
    reactions = []
    for letter in "ABCD"[: area.get_by_role("radio").count()]:
        area.get_by_role("radio", name=letter, exact=True).check()
        reaction = area.locator("pre", has_text=f": {letter}. ")
        reaction.wait_for()
        reactions.append(reaction.inner_text())
    assert sum("Right." in r for r in reactions) == 1, reactions
    assert sum("Not quite." in r for r in reactions) == len(reactions) - 1
    page.screenshot(path=SHOTS / f"{number(name)}_question.png")


def test_every_picture_in_a_lesson_has_its_text(page, lab):
    """Also where the file was not run here, and JupyterLab trusts nothing in it."""
    open_lesson(page, lab, LESSONS[0])
    alts = set()

    def six():
        for _ in pages_of(page):
            alts.update(page.evaluate(
                "() => [...document.querySelectorAll('.jp-OutputArea img')].map(i => i.alt)"
            ))  # fmt: skip
        return len(alts) >= 6

    until(six)
    assert all(len(alt) > 20 for alt in alts), alts


@pytest.mark.parametrize("program", ["doc/tree", "notebooks"])
def test_what_was_run_and_saved_is_seen_again_without_its_kernel(page, lab, program):
    """A student's second day: program is JupyterLab's address, or that of Notebook 7."""
    open_lesson(page, lab, "01_kernel_regression.ipynb")
    run_all(page)
    bring_into_view(page, ".jp-OutputArea-output input[type=radio]")
    area = page.locator(".jp-OutputArea:has(input[type=radio])").first
    area.get_by_role("radio", name="B", exact=True).check()
    area.locator("pre", has_text="Prediction 1.1: B. Not quite.").wait_for()
    handle = bring_into_view(page, ".jp-OutputArea-output .noUi-handle")
    picture = page.locator(".jp-OutputArea:has(.noUi-handle)").first.locator("img").first
    first = picture.get_attribute("src")
    push(handle)
    moves(picture, first)
    dragged = picture.get_attribute("src")
    page.keyboard.press("Control+s")
    drawn = dragged.partition("base64,")[2][:999]
    saved = f"{lab}/api/contents/01_kernel_regression.ipynb"
    until(lambda: drawn in json.dumps(asked(saved)).replace("\\n", ""))
    shut_down(lab)

    page.goto("about:blank")
    page.goto(f"{lab}/{program}/01_kernel_regression.ipynb?token=lessons")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    time.sleep(5)  # the widgets' manager looks for what it lost
    bring_into_view(page, ".jp-OutputArea-child:has(.attn-teach-live)")
    expect(page.get_by_text("Loading widget")).to_have_count(0)
    texts, pictures, afterwards = "", [], set()
    for place, _ in enumerate(pages_of(page)):
        texts += page.locator(".jp-Notebook").inner_text()
        afterwards |= set(page.evaluate(AFTERWARDS))
        pictures += page.evaluate(
            "() => [...document.querySelectorAll('.jp-OutputArea img')].map(i => i.src)"
        )
        if page.locator("pre", has_text="Prediction 1.1").count():
            page.screenshot(path=SHOTS / f"reopened_{program[:3]}_{place:02d}.png")
    shut_down(lab)
    assert "Prediction 1.1: B. Not quite." in texts
    assert "model not found" not in texts and "Loading widget" not in texts
    assert dragged in pictures
    assert '"Run this cell to bring back its controls."' in afterwards


AFTERWARDS = """() => [...document.querySelectorAll('.jp-OutputArea-child')]
                      .map(e => getComputedStyle(e, '::after').content)"""


def shut_down(lab):
    """End all kernels, as when the computer was switched off."""
    for session in asked(f"{lab}/api/sessions"):
        address = f"{lab}/api/sessions/{session['id']}?token=lessons"
        urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()


def test_an_exercise_from_stub_to_correct_by_typing(page, lab):
    open_lesson(page, lab, "03_masking.ipynb")
    run_all(page)

    def submit(body, words):
        cell = bring_into_view(page, '.jp-CodeCell:has-text("def my_masked_softmax")')
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.type(f"def my_masked_softmax(scores, mask):\n{body}")
        page.keyboard.press("Shift+Enter")
        active = page.locator(".jp-Cell.jp-mod-active .cm-content")
        expect(active).to_contain_text("check(my_masked_softmax)")
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(IDLE)
        check = page.locator('.jp-CodeCell:has-text("check(my_masked_softmax)")').first
        output = check.locator(".jp-OutputArea-output", has_text=words).first
        output.wait_for()
        return output

    submit("return scores.masked_fill(~mask, 0.0).softmax(-1)", "you filled the scores with 0")
    page.screenshot(path=SHOTS / "03_wrong.png")
    right = "return scores.masked_fill(~mask, float('-inf')).softmax(-1).nan_to_num(0.0)"
    submit(right, "Correct on")
    page.screenshot(path=SHOTS / "03_right.png")


# It trains slowly until enough was seen of it.
TRAINING = """import os, time
from attn_lesson.live import LiveCurve
with LiveCurve(400, ["model"], ylim=(0, 2)) as live:
    for step in range(400):
        time.sleep(0.001 if os.path.exists("enough") else 0.2)
        live.add("model", 400 / (400 + step))"""


def test_a_loss_curve_grows_while_a_model_trains(page, lab, folder):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(TRAINING)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "training.ipynb")
    open_lesson(page, lab, "training.ipynb")
    start_all(page)
    bar, seen = page.locator(".jp-OutputArea progress"), {}

    def grown():
        for source, done in page.evaluate(
            "() => [...document.querySelectorAll('.jp-OutputArea-output:has(progress)')].map("
            "o => [o.querySelector('img').src, o.querySelector('progress').value])"
        ):
            if not seen:
                page.screenshot(path=SHOTS / "training.png")
            seen[done] = source
        return len(set(seen.values())) > 2

    until(grown)
    (folder / "enough").touch()
    page.wait_for_selector(IDLE)
    expect(bar).to_have_count(0)
    picture = page.locator(".jp-OutputArea img")
    assert picture.get_attribute("alt").endswith("model from 1.0 to 0.5.")
    assert page.locator(".jp-OutputArea-output").count() == 1, "old curves stay"


@pytest.mark.parametrize("lesson", LESSONS)
def test_first_question_begins_on_the_first_screen(lesson, lab, page):
    page.set_viewport_size({"width": 1366, "height": 768})
    open_lesson(page, lab, lesson)
    question = page.locator(".jp-Cell", has_text="Predict first").first
    question.wait_for()
    top = question.bounding_box()["y"]
    print(f"{lesson}: the first question begins {top:.0f} pixels below the top")
    assert top < 600
