"""Who is who: a class as gradebooks export it, and files of several lessons without one."""

import re
from pathlib import Path

import pytest

from classroom import gradebooks, roster
from classroom.marking import __main__ as command
from classroom.roster import Learner

pytestmark = pytest.mark.long
TABLES = {
    "plain": "id,name,email\n7,Ada Lovelace,ada@x.org\n8,Grace Hopper,grace@x.org\n",
    "canvas": "Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"
    '"Lovelace, Ada",7,ada@x.org,A\n"Hopper, Grace",8,grace@x.org,A\n',
    "moodle": "First name,Last name,ID number,Email address\n"
    "Ada,Lovelace,7,ada@x.org\nGrace,Hopper,8,grace@x.org\n",
    "worksheet": "Identifier,Full name,Email address\n"
    "Participant 7,Ada Lovelace,ada@x.org\nParticipant 8,Grace Hopper,grace@x.org\n",
}


@pytest.fixture
def known(tmp_path):
    """Read a roster from its text."""

    def read(text):
        path = tmp_path / "class.csv"
        path.write_text(text, "utf-8")
        return roster.read(path)

    return read


def sort(folder, held, known=None):
    """What becomes of files with these lessons in them; a text is why one cannot be read."""
    empty = {"answers": {}, "predictions": {}}
    results = {
        file: {"lesson": lesson, **empty} if lesson.isdigit() else {"problem": lesson}
        for file, lesson in held.items()
    }
    return command.sorted_marks([(folder / file, file, None) for file in held], results, known)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "file",
    ["Ada Lovelace_7_assignsubmission_file/x.ipynb", "lovelaceada_7_99_x.ipynb",
     "Ada Lovelace/03.ipynb", "ada_lovelace_03_masking.ipynb", "Lovelace Ada.ipynb",
     "ada@x.org 03.ipynb", "ada/03_masking/x.ipynb", "submitted/ada/03_masking/x.ipynb",
     "Ada Lovelace/Grace Hopper_8_assignsubmission_file/x.ipynb"],
)  # fmt: skip
def test_a_roster_knows_whose_file_it_is(table, file, known):
    found = known(TABLES[table])
    who = found.find(file)
    assert who == found.learners[0] and who.email == "ada@x.org" and who.id
    assert found.find("Adam.ipynb") is None


def test_of_two_names_that_begin_alike_the_longer_one_counts(known):
    found = known("id,name,login\n7,Ann,ann\n8,Ann Lee,lee\n")
    who = [found.find(file).id for file in ("ann_lee_03.ipynb", "ann_03.ipynb")]
    assert who == ["8", "7"]


TEXT = Path(__file__).with_name("layouts.txt").read_text("utf-8")
LAYOUTS = dict(re.findall(r"^=== (.*)\n((?:(?!===).+\n)*)", TEXT, re.MULTILINE))
CLASS = LAYOUTS.pop("class")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_path_tells_who_handed_in_the_file(layout, known):
    rows = [line.split(" | ") for line in LAYOUTS[layout].splitlines()]
    rows = [[None if part == "-" else part for part in row] for row in rows]
    held = {file: lesson for file, lesson, _, _ in rows}
    people, strangers, nameless = roster.people(held)
    found = {f: None if f in nameless else people[f].name for f in held}
    assert found == {file: name for file, _, name, _ in rows}
    assert not strangers and len({people[f] for f in nameless}) == len(nameless)
    people, strangers, _ = roster.people(held, known(CLASS))
    found = {f: None if f in strangers else people[f].name.split()[-1] for f in held}
    assert found == {file: last for file, _, _, last in rows}


def test_a_system_tells_numbers_too():
    held = {
        "Ada Lovelace_12_assignsubmission_file_/more/x.ipynb": Learner("Ada Lovelace", None, "12"),
        "lovelaceada_12345_67890_01_kernel-1.ipynb": Learner("lovelaceada", "12345"),
    }
    assert roster.people(dict.fromkeys(held, "03"))[0] == held


def test_two_of_one_name_are_told_apart_by_what_differs(tmp_path, known):
    two = known("id,name\n7,Ada Lee\n8,Ada Lee\n")
    assert two.find("Ada Lee.ipynb") is None and two.find("8.ipynb").id == "8"
    others = known("id,name,email\ns1,Ada Lee,\n,Ada Lee,ada@x.org\n,Bob,bob@x.org\n")
    held = dict.fromkeys(["s1.ipynb", "ada@x.org.ipynb", "bob.ipynb"], "01")
    marks, problems, missing = sort(tmp_path, held, others)
    assert [m.learner for m in marks] == ["Ada Lee (ada@x.org)", "Ada Lee (s1)", "Bob"]
    assert not problems and not missing


def test_a_spreadsheets_roster_is_read(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes("Name;ID;E-Mail\r\nZoë;7;;;\r\n;8;eve@x.org\r\n".encode("cp1252"))
    assert [(who.name, who.id) for who in roster.read(path).learners] == [
        ("Zoë", "7"), ("eve@x.org", "8")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,id\nHopper,8\nLovelace, Ada,7\n", "more cells than headings in Lovelace"),
        *[(text, "no roster") for text in ("", "points,date\n1,2\n", "name\n\n")],
    ],
)
def test_nobody_is_left_out_because_of_a_comma_and_what_is_no_roster_is_said(text, said, known):
    with pytest.raises(SystemExit, match=said):
        known(text)


def test_files_whose_name_tells_no_learner_are_nobodys_together(tmp_path, known):
    files = ["my_answers_03.ipynb", "my_answers_03 (1).ipynb", "My answers 03.ipynb",
             "03_masking.ipynb", "03_masking (1).ipynb", "Copy of 03_masking.ipynb",
             "Copy of Untitled (3).ipynb", "Lesson 3.ipynb", "03_masking/my_answers_03.ipynb",
             "my_answers_03.zip"]  # fmt: skip
    held = dict.fromkeys([*files, "my_answers_01.ipynb"], "03") | {"my_answers_01.ipynb": "01"}
    held |= {"ada_03.ipynb": "03", "1234567.ipynb": "03", "eve/my_answers_03.ipynb": "03"}
    people, _, nameless = roster.people(held)
    assert nameless == {*files, "my_answers_01.ipynb"}
    assert len(set(people.values())) == len(held)
    assert people["03_masking (1).ipynb"].name == "03_masking (1)"
    marks, problems, _ = sort(tmp_path, held)
    assert len(marks) == len(held), "none is taken for an older one"
    assert {p.file for p in problems} == nameless
    assert all("tells no learner" in p.why and "NAME_0" in p.why for p in problems)
    people, strangers, nameless = roster.people(held, known(TABLES["plain"]))
    assert nameless < strangers and len(set(people.values())) == len(held)


def test_the_roster_says_who_is_missing_and_who_is_a_stranger(tmp_path, known):
    class_of_two = known(TABLES["plain"])
    held = {"ada_01.ipynb": "01", "Ada Lovelace_03.ipynb": "03", "zoe.ipynb": "01"}
    marks, problems, missing = sort(tmp_path, held, class_of_two)
    ada, grace = "Ada Lovelace (7)", "Grace Hopper (8)"
    assert [(m.learner, m.lesson) for m in marks] == [(ada, "01"), ("zoe", "01"), (ada, "03")]
    assert [(p.file, p.why) for p in problems] == [("zoe.ipynb", gradebooks.STRANGER)]
    assert missing == [("01", [grace]), ("03", [grace])]
    _, _, missing = sort(tmp_path, {"ada.ipynb": "no notebook", "zoe.ipynb": "01"}, class_of_two)
    assert missing == [("01", [f"{ada} (has a file that was not marked)", grace])]
