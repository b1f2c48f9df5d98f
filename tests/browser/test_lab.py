"""The lessons as people use them: opened, run, dragged, answered and typed into.

A JupyterLab with settings of its own runs on this machine, and a headless Chromium uses it.
Screenshots are kept in build/screenshots.
"""

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
from pathlib import Path

import pytest
from chromium import SHOTS

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [p.name for p in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))]
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
ERROR = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]'


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address of a running JupyterLab that shows copies of the lessons."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
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
    command += ["--IdentityProvider.token=lessons", f"--ServerApp.root_dir={folder / 'notebooks'}"]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/api?token=lessons", timeout=5)
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail(f"JupyterLab did not start:\n{(folder / 'log').read_text()[-2000:]}")
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


@pytest.fixture
def page(browser, request):
    """A page of its own; a screenshot of its end is kept in build/."""
    page = browser.new_page(viewport={"width": 1100, "height": 1400})
    yield page
    page.screenshot(path=SHOTS / f"{request.node.name}.png")
    page.close()


def open_lesson(page, lab, name):
    page.goto(f"{lab}/doc/tree/{name}?token=lessons&reset")
    page.wait_for_selector(IDLE, timeout=60_000)
    # All cells in the page, not only those in view.
    page.wait_for_selector(".jp-Notebook .jp-Cell")


def run_all(page):
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('li.lm-Menu-item[data-command="runmenu:run-all"]')
    time.sleep(2)
    page.wait_for_selector(IDLE, timeout=180_000)


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
    for _ in pages_of(page):
        found = page.locator(selector)
        if found.count():
            found.first.scroll_into_view_if_needed()
            return found.first
    pytest.fail(f"nothing on the page matches {selector}")


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_runs_without_an_error(page, lab, name):
    open_lesson(page, lab, name)
    clear_all(page)
    run_all(page)
    prompts, broken = set(), []
    for number, _ in enumerate(pages_of(page)):
        page.screenshot(path=SHOTS / f"{name[:2]}_{number:02d}.png")
        assert page.locator(ERROR).count() == 0
        prompts |= set(page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts())
        broken += page.evaluate(
            "() => [...document.querySelectorAll('.jp-Notebook img')]"
            ".filter(i => i.complete && !i.naturalWidth).map(i => i.alt)"
        )
    assert not [p for p in prompts if p.strip() and not re.fullmatch(r"\[\d+\]:", p)]
    assert not broken, "pictures that do not show"


@pytest.mark.parametrize("name", LESSONS)
def test_a_slider_moves_the_picture(page, lab, name):
    open_lesson(page, lab, name)
    run_all(page)
    handle = bring_into_view(page, ".jp-OutputArea-output .noUi-handle")
    box = page.locator(".jp-OutputArea-output:has(.noUi-handle)").first
    picture = box.locator("img").first
    before = picture.get_attribute("src")
    handle.focus()
    changed = False
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        time.sleep(0.7)
        changed = changed or picture.get_attribute("src") != before
    assert changed
    # Different files are different pictures: their pixels differ too.
    pixels = page.evaluate(
        """async ([a, b]) => { const load = s => new Promise(r => { const i = new Image();
             i.onload = () => { const c = document.createElement('canvas'); c.width = i.width;
             c.height = i.height; const x = c.getContext('2d'); x.drawImage(i, 0, 0);
             r(x.getImageData(0, 0, c.width, c.height).data) }; i.src = s });
             const [p, q] = [await load(a), await load(b)];
             let n = 0; for (let i = 0; i < Math.min(p.length, q.length); i++) n += p[i] != q[i];
             return n + Math.abs(p.length - q.length) }""",
        [before, picture.get_attribute("src")],
    )
    assert pixels > 100
    page.screenshot(path=SHOTS / f"{name[:2]}_slider.png")


@pytest.mark.parametrize("name", LESSONS)
def test_a_question_reacts_to_wrong_and_right(page, lab, name):
    open_lesson(page, lab, name)
    run_all(page)
    bring_into_view(page, ".jp-OutputArea-output .widget-toggle-buttons")
    output = page.locator(".jp-OutputArea-output:has(.widget-toggle-buttons)").first
    reactions = []
    for button in output.locator("button").all():
        button.click()
        time.sleep(0.7)
        reactions.append(output.locator(".widget-html p").first.inner_text())
    assert sum("Right." in r for r in reactions) == 1, reactions
    assert sum("Not quite." in r for r in reactions) == len(reactions) - 1
    page.screenshot(path=SHOTS / f"{name[:2]}_question.png")


def test_an_exercise_from_stub_to_correct_by_typing(page, lab):
    open_lesson(page, lab, "03_masking.ipynb")
    run_all(page)

    def submit(body, words):
        cell = bring_into_view(page, '.jp-CodeCell:has-text("def my_masked_softmax")')
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.type(f"def my_masked_softmax(scores, mask):\n{body}")
        page.keyboard.press("Shift+Enter")
        time.sleep(1)
        page.keyboard.press("Shift+Enter")  # the next cell is the check
        page.wait_for_selector(IDLE)
        check = page.locator('.jp-CodeCell:has-text("check(my_masked_softmax)")').first
        output = check.locator(".jp-OutputArea-output", has_text=words).first
        output.wait_for(timeout=30_000)
        return output

    submit("return scores.masked_fill(~mask, 0.0).softmax(-1)", "you filled the scores with 0")
    page.screenshot(path=SHOTS / "03_wrong.png")
    right = "return scores.masked_fill(~mask, float('-inf')).softmax(-1).nan_to_num(0.0)"
    submit(right, "Correct on")
    page.screenshot(path=SHOTS / "03_right.png")
