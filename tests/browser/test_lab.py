"""The lessons as people use them in JupyterLab: opened, run, dragged, answered and typed into.

A JupyterLab with settings of its own runs on this machine, and Chromium uses it. One lesson is
worked through, with --every all of them. Screenshots are kept in build/screenshots.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
import test_head_view as views
from chromium import PATIENCE, SHOTS
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from tools import own
from tools.lessons import KERNEL, NOTEBOOKS, lessons

TOKEN = "token=lessons"
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
ERROR = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]'
ACTIVE = ".jp-Cell.jp-mod-active .cm-content"


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        every = metafunc.config.getoption("every")
        metafunc.parametrize("name", [path.name for path in lessons([] if every else ["01"])])


class Lab:
    """A JupyterLab in a folder with copies of the lessons, and the page that shows it."""

    def __init__(self, folder):
        self.folder = folder / "notebooks"
        shutil.copytree(NOTEBOOKS, self.folder)
        own.make(self.folder / "my_lessons")
        folders = ("CONFIG", "RUNTIME", "DATA", "LAB_SETTINGS", "LAB_WORKSPACES")
        environment = {f"JUPYTER{'' if 'LAB' in name else '_'}{name}_DIR": name for name in folders}
        environment = {key: str(folder / name) for key, name in environment.items()}
        settings = folder / "LAB_SETTINGS" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        quiet = json.dumps({"fetchNews": "false", "checkForUpdates": False})
        (settings / "notification.jupyterlab-settings").write_text(quiet)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address, self.log = f"http://127.0.0.1:{port}", folder / "log"
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
        command += ["--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=lessons"]
        command += [f"--ServerApp.root_dir={self.folder}"]
        with self.log.open("w") as log:
            environment = {**os.environ, **environment}  # IPython's own is in tests/settings.py
            self.server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def starts(self):
        assert self.server.poll() is None, self.log.read_text()[-2000:]
        try:
            return self.asked("api")
        except OSError:
            return None

    def asked(self, place, **options):
        """What the server answers."""
        request = urllib.request.Request(f"{self.address}/{place}?{TOKEN}", **options)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or "null")

    def shut_down(self):
        """End all kernels, as when the computer was switched off."""
        for session in self.asked("api/sessions"):
            self.asked(f"api/sessions/{session['id']}", method="DELETE")

    def open(self, name):
        self.page.goto(f"{self.address}/doc/tree/{name}?{TOKEN}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")

    def open_new(self, *cells):
        """Open a notebook of these cells."""
        notebook = new_notebook(cells=list(cells), metadata={"kernelspec": KERNEL})
        nbformat.write(notebook, self.folder / "new.ipynb")
        self.open("new.ipynb")

    def run_all(self, until=None):
        """Run all cells; return when the kernel has been at work and is done, or before."""
        # JupyterLab says "idle" before there is a kernel, and loses what is clicked then.
        wait(lambda: any(session["kernel"] for session in self.asked("api/sessions")))
        self.page.wait_for_selector(IDLE)
        self.page.evaluate(WATCH)
        self.menu("Run", "runmenu:run-all")
        self.page.wait_for_function("window.wasBusy")
        if until:
            wait(lambda: until() or self.page.locator(ERROR).count())
        self.page.wait_for_selector(IDLE, timeout=4000 * PATIENCE)

    def menu(self, name, command):
        self.page.click(f'.lm-MenuBar-itemLabel:text-is("{name}")')
        self.page.click(f'li.lm-Menu-item[data-command="{command}"]')

    def screens(self):
        """Scroll through the notebook, one screen after the other."""
        y, height = 0, 1
        while y < height:
            height = self.page.evaluate(SCROLL, y)
            time.sleep(0.4)
            yield y
            y += 1200

    def bring(self, selector):
        """Scroll until the selector is there; the page keeps only cells near the view."""
        found = self.page.locator(selector)
        wait(lambda: any(found.count() for _ in self.screens()))
        found.first.scroll_into_view_if_needed()
        return found.first

    def pictures(self, key):
        """This of each picture that is there now."""
        told = "(all, key) => all.map(each => each[key])"
        return self.page.locator(".jp-Notebook .jp-OutputArea img").evaluate_all(told, key)


WATCH = """() => {
  const busy = '.jp-Notebook-ExecutionIndicator[data-status="busy"]';
  window.wasBusy = false;
  new MutationObserver(() => { window.wasBusy ||= !!document.querySelector(busy) })
    .observe(document, {subtree: true, childList: true, attributeFilter: ["data-status"]});
}"""
SCROLL = """y => { const e = document.querySelector('.jp-WindowedPanel-outer');
                   e.scrollTop = y; return e.scrollHeight }"""
AFTERWARDS = """() => [...document.querySelectorAll('.jp-OutputArea-child')]
                      .map(e => getComputedStyle(e, '::after').content)"""


def wait(condition):
    """Wait for what happens at once on an idle machine."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        wait(lab.starts)
        yield lab
    finally:
        lab.server.terminate()
        lab.server.wait(PATIENCE)


@pytest.fixture
def lab(running, browser, request):
    """The JupyterLab with a page of its own; a screenshot of its end is kept, and no kernel."""
    running.page = browser.new_page(viewport={"width": 1366, "height": 768})
    running.page.set_default_timeout(1000 * PATIENCE)
    yield running
    running.page.screenshot(path=SHOTS / f"{request.node.name}.png")
    running.page.close()
    running.shut_down()


def test_a_lesson_is_worked_through_and_seen_again_the_next_day(lab, name):
    page = lab.page
    lab.open(name)
    question = page.locator(".jp-Cell", has_text="Predict first").first
    question.wait_for()
    assert question.bounding_box()["y"] < 600, "the first question is not on the first screen"
    page.set_viewport_size({"width": 1100, "height": 1400})
    alts = {alt for _ in lab.screens() for alt in lab.pictures("alt")}
    assert len(alts) > 2 and all(len(alt) > 20 for alt in alts), "where nothing is trusted"
    lab.menu("Edit", "editmenu:clear-all")
    lab.run_all()
    prompts = set()
    for place, _ in enumerate(lab.screens()):
        page.screenshot(path=SHOTS / f"{name[:2]}_{place:02d}.png")
        assert page.locator(ERROR).count() == 0
        assert all(lab.pictures("naturalWidth"))
        prompts |= set(page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts())
    assert not [p for p in prompts if p.strip() and not re.fullmatch(r"\[\d+\]:", p)]

    lab.bring(".jp-OutputArea-output input[type=radio]")
    area = page.locator(".jp-OutputArea:has(input[type=radio])").first
    told = []
    for letter in "ABCD"[: area.get_by_role("radio").count()]:
        area.get_by_role("radio", name=letter, exact=True).check()
        told.append(area.locator("pre", has_text=f": {letter}. "))
        told[-1].wait_for()
        told[-1] = told[-1].inner_text()
    assert sorted("Right." in said for said in told) == [False] * (len(told) - 1) + [True]
    assert sum("Not quite." in said for said in told) == len(told) - 1

    control = lab.bring(".jp-OutputArea-output :is(.noUi-handle, select, input[type=text])")
    picture = control.locator("xpath=ancestor::*[contains(@class, 'jp-OutputArea ')][1]//img").first
    seen = picture.get_attribute("src")
    if control.evaluate("e => e.matches('.noUi-handle')"):
        assert control.get_attribute("aria-label"), "a slider has no name"
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        control.press(key)
        page.wait_for_timeout(500)
        if picture.get_attribute("src") != seen:
            break
    expect(picture).not_to_have_attribute("src", seen)
    assert len(picture.get_attribute("alt")) > 20

    drawn = []  # what is drawn late, too

    def stored():
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1000)
        drawn.append(picture.get_attribute("src"))
        part = drawn[-1].partition("base64,")[2][:999]
        return part in json.dumps(lab.asked(f"api/contents/{name}")).replace("\\n", "")

    wait(stored)
    dragged = drawn[-1]
    lab.shut_down()

    for program in ("doc/tree", "notebooks"):  # JupyterLab's address, and that of Notebook 7
        page.goto("about:blank")
        page.goto(f"{lab.address}/{program}/{name}?{TOKEN}")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        time.sleep(5)  # the widgets' manager looks for what it lost
        lab.bring(".jp-OutputArea-child:has(.attn-teach-live)")
        expect(page.get_by_text("Loading widget")).to_have_count(0)
        texts, pictures, afterwards = "", [], set()
        for _ in lab.screens():
            texts += page.locator(".jp-Notebook").inner_text()
            afterwards |= set(page.evaluate(AFTERWARDS))
            pictures += lab.pictures("src")
        assert told[-1] in texts and dragged in pictures
        assert "model not found" not in texts and "Loading widget" not in texts
        assert '"Run this cell to bring back its controls."' in afterwards
        lab.shut_down()


def test_a_turn_in_a_copy_of_ones_own_by_typing(lab):
    page = lab.page
    lab.open("my_lessons/03_masking.ipynb")
    page.locator(".jp-Cell").first.wait_for()
    shown = [page.locator(".jp-OutputArea-output").count() for _ in lab.screens()]
    assert not any(shown), "results stand there before anything ran"
    answer = lab.bring('details:has-text("def my_padding_mask")')
    assert not answer.locator("pre").is_visible()
    answer.locator("summary").click()
    assert answer.locator("pre span").count() > 5, "its code is highlighted"
    page.screenshot(path=SHOTS / "turn.png")
    lab.run_all()
    for body, words in [
        ("return scores.masked_fill(~mask, 0.0).softmax(-1)", "you filled the scores with 0"),
        ("return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0)", "Correct on"),
    ]:
        cell = lab.bring('.jp-CodeCell:has-text("def my_masked_softmax")')
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.type(f"def my_masked_softmax(scores, mask):\n{body}")
        page.keyboard.press("Shift+Enter")
        expect(page.locator(ACTIVE)).to_contain_text("check(my_masked_softmax)")
        page.keyboard.press("Shift+Enter")
        check = page.locator('.jp-CodeCell:has-text("check(my_masked_softmax)")').first
        check.locator(".jp-OutputArea-output", has_text=words).first.wait_for()


# It trains slowly until enough was seen of it; then a text can be typed.
TRAINING = """import os, time
from attn_lesson import explore
from attn_lesson.live import LiveCurve
from attn_teach import subplots
with LiveCurve(400, ["model"], ylim=(0, 2)) as live:
    for step in range(400):
        time.sleep(0.001 if os.path.exists("enough") else 0.2)
        live.add("model", 400 / (400 + step))"""
TYPED = """def draw(text="one"):
    figure, ax = subplots(figsize=(3, 2))
    ax.set(title=text)
    figure.alt = text
    return figure
explore(draw, text="one")"""


def test_a_loss_curve_grows_while_a_model_trains_and_a_typed_text_changes_a_picture(lab):
    lab.open_new(new_code_cell(TRAINING), new_code_cell(TYPED))
    bar, seen = lab.page.locator(".jp-OutputArea progress"), set()

    def grown():
        seen.update(lab.pictures("src")[:1] if bar.count() else [])
        return len(seen) > 2

    def enough():
        return grown() and not (lab.folder / "enough").touch()

    lab.run_all(until=enough)
    expect(bar).to_have_count(0)
    training, typed = (lab.page.locator(".jp-CodeCell").nth(i) for i in range(2))
    expect(training.locator("img")).to_have_attribute("alt", re.compile("model from 1.0 to 0.5.$"))
    assert training.locator(".jp-OutputArea-output").count() == 1, "old curves stay"
    typed.locator("input[type=text]").fill("8 March 1999")
    typed.locator("input[type=text]").press("Enter")
    expect(typed.locator("img")).to_have_attribute("alt", "8 March 1999")


VIEW = """import torch
from attn_teach.head_view import head_view
head_view(torch.eye(6).expand(2, 3, 6, 6), "go home and feed the cat".split())"""


def test_a_head_view_lives_in_a_cell_that_ran(lab):
    page = lab.page
    lab.open_new(new_code_cell(VIEW), new_code_cell("1 + 1"))
    lab.run_all()
    view = page.locator(".head-view")
    view.wait_for()
    assert page.locator(ERROR).count() == 0
    assert not view.locator(".hv-still").is_visible()
    view.get_by_role("radio", name=re.compile("^Layer 0, head 1;")).click()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):  # keys that move between cells, too
        page.keyboard.press(key)
    assert views.chosen(view) == "Layer 1, head 2"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert set(views.lines(view)) == {(1, 1)}
    assert views.says(view) == "Layer 1, head 2. “home” attends to: home 1.000"
    active = page.locator(ACTIVE)
    assert "head_view" in active.inner_text(), "the view's arrows leave the cells alone"
    page.keyboard.press("Shift+Enter")
    expect(active).to_have_text("1 + 1")
