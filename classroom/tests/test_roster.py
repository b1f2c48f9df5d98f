"""Who is who: a class as gradebooks export it, and files of several lessons without one."""

import pytest

from classroom import gradebooks, roster
from classroom.gradebooks import Learner
from classroom.marking import __main__ as command

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


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "file",
    ["Ada Lovelace_7_assignsubmission_file/x.ipynb", "lovelaceada_7_99_x.ipynb",
     "Ada Lovelace/03.ipynb", "ada_lovelace_03_masking.ipynb", "Lovelace Ada.ipynb",
     "ada@x.org 03.ipynb", "ada/03_masking/x.ipynb", "submitted/ada/03_masking/x.ipynb",
     "Ada Lovelace/Grace Hopper_8_assignsubmission_file/x.ipynb"],
)  # fmt: skip
def test_a_roster_knows_whose_file_it_is(table, file, tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(TABLES[table], "utf-8")
    known = roster.read(path)
    who = known.find(file)
    assert who == known.learners[0] and who.email == "ada@x.org" and who.id
    assert (known.find("Adam.ipynb") is None and known.find("x/ada.ipynb") is None) or "x/" in file


def test_two_that_a_name_could_stand_for_are_told_apart_by_what_differs(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("id,name\n7,Ada Lee\n8,Ada Lee\n", "utf-8")
    known = roster.read(path)
    assert known.find("Ada Lee.ipynb") is None
    assert known.find("8.ipynb").id == "8"


def test_two_of_one_name_without_numbers_are_two(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("id,name,email\ns1,Ada Lee,\n,Ada Lee,ada@x.org\n,Bob,bob@x.org\n", "utf-8")
    files = ["s1.ipynb", "ada@x.org.ipynb", "bob.ipynb"]
    results = {file: {"lesson": "01", "answers": {}, "predictions": {}} for file in files}
    found = [(tmp_path / file, file, None) for file in files]
    marks, problems, missing = command.sorted_marks(found, results, roster.read(path))
    assert [m.learner for m in marks] == ["Ada Lee (ada@x.org)", "Ada Lee (s1)", "Bob"]
    assert not problems and not missing


def test_a_spreadsheets_roster_is_read(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes("Name;ID;E-Mail\r\nZoë;7;;;\r\n;8;eve@x.org\r\n".encode("cp1252"))
    assert [(who.name, who.id) for who in roster.read(path).learners] == [
        ("Zoë", "7"), ("eve@x.org", "8")
    ]  # fmt: skip


def test_nobody_is_left_out_because_of_a_comma(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("name,id\nHopper,8\nLovelace, Ada,7\n", "utf-8")
    with pytest.raises(SystemExit, match="more cells than headings in Lovelace"):
        roster.read(path)


@pytest.mark.parametrize("text", ["", "points,date\n1,2\n", "name\n\n"])
def test_what_is_no_roster_is_said(text, tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(SystemExit, match="no roster"):
        roster.read(path)


def test_without_a_roster_the_lesson_behind_a_name_is_not_the_learners():
    held = {
        "ada_01_kernel_regression.ipynb": "01", "Ada_03.ipynb": "03", "bob-lesson3.ipynb": "03",
        "group_01.ipynb": "01", "group_02.ipynb": "01", "eve/eve_01.ipynb": "01",
        "eve_03 (1).ipynb": "03", "x_01.ipynb": None, "Hausaufgabe_03_Jo.ipynb": "03",
    }  # fmt: skip
    people, strangers, nameless = roster.people(held)
    assert not strangers and not nameless
    assert [who.name for who in people.values()] == [
        "Ada", "Ada", "bob", "group_01", "group_02", "eve", "eve", "x_01", "Hausaufgabe_03_Jo"
    ]  # fmt: skip
    for file in ("Ada_03.ipynb", "bob-lesson3.ipynb", "eve_03 (1).ipynb"):  # alone as in a folder
        assert roster.people({file: "03"})[0][file] == people[file]


def test_files_whose_name_tells_no_learner_are_nobodys_together(tmp_path):
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
    results = {f: {"lesson": n, "answers": {}, "predictions": {}} for f, n in held.items()}
    marks, problems, _ = command.sorted_marks([(tmp_path / f, f, None) for f in held], results)
    assert len(marks) == len(held), "none is taken for an older one"
    assert {p.file for p in problems} == nameless
    assert all("tells no learner" in p.why and "NAME_0" in p.why for p in problems)
    path = tmp_path / "class.csv"
    path.write_text(TABLES["plain"], "utf-8")
    people, strangers, nameless = roster.people(held, roster.read(path))
    assert nameless < strangers and len(set(people.values())) == len(held)


def test_the_roster_says_who_is_missing_and_who_is_a_stranger(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(TABLES["plain"], "utf-8")
    files = ["ada_01.ipynb", "Ada Lovelace_03.ipynb", "zoe.ipynb"]
    results = {
        file: {"lesson": lesson, "answers": {}, "predictions": {}}
        for file, lesson in zip(files, ["01", "03", "01"], strict=True)
    }
    found = [(tmp_path / file, file, None) for file in files]
    marks, problems, missing = command.sorted_marks(found, results, roster.read(path))
    assert [(m.learner, m.lesson) for m in marks] == [
        ("Ada Lovelace (7)", "01"),
        ("zoe", "01"),
        ("Ada Lovelace (7)", "03"),
    ]
    assert [(p.file, p.why) for p in problems] == [("zoe.ipynb", gradebooks.STRANGER)]
    assert missing == [("01", ["Grace Hopper (8)"]), ("03", ["Grace Hopper (8)"])]


def test_who_has_a_file_that_cannot_be_read_is_not_without_one(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(TABLES["plain"], "utf-8")
    results = {
        "ada.ipynb": {"problem": "not a notebook"},
        "zoe.ipynb": {"lesson": "01", "answers": {}, "predictions": {}},
    }
    found = [(tmp_path / file, file, None) for file in results]
    _, _, missing = command.sorted_marks(found, results, roster.read(path))
    told = "Ada Lovelace (7) (has a file that was not marked)"
    assert missing == [("01", [told, "Grace Hopper (8)"])]


def test_a_learner_has_one_identity():
    assert Learner("a", moodle_id="7").id == "Participant 7" and Learner("a").id is None
