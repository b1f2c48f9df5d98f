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


def test_without_a_roster_files_named_alike_are_one_learners():
    held = {
        "ada_01_kernel_regression.ipynb": "01", "Ada_03.ipynb": "03", "bob-lesson3.ipynb": "03",
        "group_01.ipynb": "01", "group_02.ipynb": "01", "eve/eve_01.ipynb": "01",
        "eve_03.ipynb": "03", "x_01.ipynb": None,
    }  # fmt: skip
    people, strangers = roster.people(held)
    assert not strangers
    names = {file: who.name for file, who in people.items()}
    assert names["ada_01_kernel_regression.ipynb"].casefold() == "ada"
    assert names["Ada_03.ipynb"].casefold() == "ada"
    assert names["bob-lesson3.ipynb"] == "bob-lesson3"
    assert names["group_01.ipynb"] == "group_01" and names["group_02.ipynb"] == "group_02"
    assert names["eve/eve_01.ipynb"] == "eve" and names["eve_03.ipynb"] == "eve_03"


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
