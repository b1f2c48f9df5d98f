r"""How a lesson's notebook says what its cells are: the one place that knows, for all who read it.

| what | how it stands in the notebook |
|---|---|
| title | the first cell: `# 03 · Masking: what this lesson asks` |
| the plan | in a text: `Plan about 70 minutes for the lesson and 56 for the exercises.` |
| a section | a text from `## ` on; metadata `instructor`: `{"minutes": 5, "notes": ...}` |
| for the course | `instructor` of the first cell, also: `question`, and `mistakes`, two or three |
| parameters | tag `parameters`, lines `seed = 0  # what it is`; then `check_parameters` |
| headline | tag `headline`: prints three to six lines `name: figure` |
| a question | text: `Predict first (3P)`, options `- A. ...` |
| its buttons | the next cell, tag `predict`: `predict("3P")`; the first imports it too |
| its answer | tag `reveal`; begins with the letter: `**B is right.** ...`; folded |
| what tells it | metadata `told` of the answer: words that its section says in the fold alone |
| your turn | text: `### Your turn 3.1 · Name (5 minutes)`; stub and check, as below |
| its answer | the next text, tag `solution`: a fence of Python and a few words; folded |
| an exercise | text: `### Exercise 3.1 · Name (easy, 5 minutes)`, `on paper` if it is not checked |
| its stub | tag `exercise`: `def my_name(...):`, and in the body `...  # your code here` |
| its check | tag `check`: a line `check(my_name)` |
| its solution | below `## Solutions`, all tagged `solution`: `### Solution 3.1`, and code |
| a drawing | tag `draw`, folded by `jupyter.source_hidden`: does nothing else |
| live | tags `nbval-ignore-output`, with metadata `nbval-reason`, and `interactive` |
| to drag | `explore(...)`; the text before sets a task: `**Drag.** ...`, or Type, Switch |
| what there is to find | the text after, tag `found`; folded. Else a heading comes next |
| a diagram | `![what it shows](data:image/svg+xml;base64,... "file.svg")`, a file of img/ |
| a premise | metadata `premise` of a question's buttons and of its answer: a Python expression |
| a figure from elsewhere | metadata `figures` of its text: `{"65,504": "torch.finfo(...).max"}` |
| presented | `slideshow.slide_type`: `slide`, `subslide`, `skip`; or none, for what goes on |

Folds are written by `make outputs`, around what stands plain. Editions add cells with the tags
`setup`, `license` and `instructor`; what a learner has chosen is printed as
`Prediction 3P: B. ...`. A lesson's number is 03 in names, 3 in 3.1. Questions have letters from P
on, which no option has.
"""

import itertools
import re
from pathlib import Path

TAGS = {"parameters", "headline", "predict", "reveal", "exercise", "check", "solution", "draw"}
TAGS |= {"interactive", "nbval-ignore-output", "found"}
PRACTICE = ("predict", "exercise", "check", "solution")  # what the learner does
NOT_SHOWN = {"parameters", "predict", "check", "solution"}  # begin no step
REASON = "nbval-reason"  # metadata of a cell whose output is not compared: why not
PREMISE = "premise"  # metadata: an expression; where it is false, the cell says something false
TOLD = "told"  # metadata of an answer: words of it that are not said outside of its fold
ORIGINS = "figures"  # metadata of a text: {figure: where it comes from}, of figures not seen here
SETUP = Path(__file__).parent / "editions/setup_cell.py"  # the first cell of a one-file edition ...
SETUP_BEGINS = SETUP.read_text(encoding="utf-8").partition(":")[0]  # ... which begins like this

TITLE = re.compile(r"# (\d+) · ([^:?\n]*\??)")
PLAN = "Plan about {} minutes for the lesson and {} for the exercises."
HEADING = re.compile(r"(#{1,3}) (.*)")
SECTION = re.compile(r"##? ")  # also begins a slide
SOLUTIONS = re.compile(r"^## Solutions\s*$", re.MULTILINE)
MINUTES = re.compile(r"^### Exercise .*\D(\d+) minutes.*\)\s*$", re.MULTILINE)
NUMBERED = re.compile(r"### (Exercise|Your turn|Solution) (\d+\.\d+)")
TASK = re.compile(r"^\*\*(?:Choose|Drag|Switch|Type)\.\*\* ", re.MULTILINE)
FOLD = "<details><summary>{}</summary>\n\n{}\n\n</details>"  # between blank lines: Markdown
FOLDED = re.compile(r"<details><summary>(.*?)</summary>\n\n(.*?)\n\n</details>", re.DOTALL)
ANSWER = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
ON_PAPER = "on paper"

PARAMETER = re.compile(r"(\w+) = \S.*?  ?# \S.*")
HEADLINE = re.compile(r"^(.+?): +(\S.*?)\s*$", re.MULTILINE)
ASKED = re.compile(r"Predict first \((\d+[P-Z])\)")
# In a question: how to answer it in the notebook.
ASIDE = re.compile(r"\s*(?:\((?:Run|Choose)[^)]*\)|Run the next cell and click a letter\..*)")
OPTION = re.compile(r"^- \**([A-Z])\.\** (.+)", re.MULTILINE)
PREDICT = re.compile(r"""predict\(["']([^"']+)""")
REVEAL = re.compile(r"(?:\*\*)?([A-Z])(?:\*\*|\.\*\*| is right)")
STUB = re.compile(r"^(?:def|class) (my_\w+)\((.*?)\):", re.MULTILINE)
TODO = re.compile(r"^( *)\.\.\.  (# your code here.*)$", re.MULTILINE)
CHECK = re.compile(r"^check\((\w+)\)$", re.MULTILINE)
LIVE = re.compile(r"^(explore|predict)\(", re.MULTILINE)
DIAGRAM = re.compile(r'!\[([^\]]*)\]\(data:image/svg\+xml;base64,([\w+/=]+) "([\w-]+\.svg)"\)')

# What learners leave: the line that they were shown, or the letter in their own call.
SAID = re.compile(r"Prediction (\d+[P-Z]): ([A-Z])\.")
CHOSEN = re.compile(
    r"""predict\(\s*['"](\d+[P-Z])['"]\s*,\s*(?:answer\s*=\s*)?['"]([A-Za-z])['"]"""
)


def tags(cell):
    """The cell's tags, a set."""
    return set(cell.metadata.get("tags", []))


def is_table(data):
    """Whether an output's data is what `attn_lesson.table` shows."""
    return data.get("text/html", "").startswith("<table>")


def notes(cell):
    """What the cell tells the instructor: minutes, notes; in the first cell question, mistakes."""
    return cell.metadata.get("instructor", {})


def slide_type(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def fold(notebook):
    """Fold, in place, what would give something away: one line says what stands there."""
    asked = turn = None
    for cell in notebook.cells:
        kind, found = tags(cell), NUMBERED.match(cell.source)
        if "predict" in kind:
            asked = f"Prediction {PREDICT.search(cell.source)[1]}"
        if cell.cell_type != "markdown":
            continue
        turn = found[2] if found and found[1] == "Your turn" else None if found else turn
        said = None
        if "reveal" in kind:
            said, asked = f"{asked}: open this when you have chosen", f"{asked}, continued"
        elif "found" in kind:
            said = "What there is to find: open this when you have looked"
        elif "solution" in kind and turn:
            said = "open this when yours is right, or the hints are used up"
            said = f"One answer (your turn {turn}): {said}"
        if said:
            cell.source = FOLD.format(said, unfolded(cell).strip())


def unfolded(cell):
    """What a text says, without the fold that it may stand in."""
    found = FOLDED.fullmatch(cell.source.strip())
    return found[2] if found else cell.source


def is_answer(cell):
    """Whether this is the folded answer to a turn."""
    return (
        "solution" in tags(cell) and cell.cell_type == "markdown" and unfolded(cell) != cell.source
    )


def clear_results(cells):
    """Clear all outputs, which give answers away and look as if the cells had run; say to run."""
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        elif TITLE.match(cell.source):
            title, _, text = cell.source.partition("\n")
            cell.source = f"{title}\n\n*Run each cell as you come to it: Shift+Enter.*\n{text}"


def explored(cell):
    """Whether this cell explores."""
    return cell.cell_type == "code" and "\nexplore(" in f"\n{cell.source}"


def prepares(cell):
    """Whether this cell of code sets or checks the lesson's parameters."""
    return "parameters" in tags(cell) or "\ncheck_parameters(" in f"\n{cell.source}"


def is_folded(cell):
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def of_type(notebook, cell_type):
    return [cell for cell in notebook.cells if cell.cell_type == cell_type]


def title(notebook):
    """The lesson's number, such as 03, and its name; two empty texts without them."""
    found = TITLE.match(notebook.cells[0].source) if notebook.cells else None
    return (found[1], found[2].strip()) if found else ("", "")


def number(notebook):
    """The lesson's number as exercises and questions have it, such as 3; or an empty text."""
    return title(notebook)[0].lstrip("0")


def heading(cell):
    """(rank, words) of the heading that a text begins with; (0, "") without one."""
    found = HEADING.match(cell.source) if cell.cell_type == "markdown" else None
    return (len(found[1]), found[2]) if found else (0, "")


def exercise_minutes(text):
    """The minutes of each exercise in a text."""
    return [int(minutes) for minutes in MINUTES.findall(text)]


def parameter_cells(notebook):
    """Each cell of parameters with the next cell of code, which checks them."""
    code = of_type(notebook, "code")
    return [(a, b) for a, b in itertools.pairwise([*code, None]) if "parameters" in tags(a)]


def headlines(notebook):
    """The headline figures of an executed lesson, by name."""
    cells = [cell for cell in notebook.cells if "headline" in tags(cell)]
    return dict(found for cell in cells for found in HEADLINE.findall(printed(cell)))


def printed(cell):
    return "".join(output.get("text", "") for output in cell.get("outputs", []))
