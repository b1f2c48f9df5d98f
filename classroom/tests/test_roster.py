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
    assert known.find("Adam.ipynb") is None


# How learning systems, tools and teachers write what came in: a file's path, the lesson in it, who
# handed it in (None: that tells nobody), and who with CLASS as a roster (None: a stranger).
CLASS = """name,login id,id,email
Ada Lovelace,adal,70001,ada@x.org
Leonhard Euler,euler,70002,leonhard@x.org
Évariste Galois,galois,70003,evariste@x.org
Marie Curie,mcurie7,70004,marie@x.org
"""
MOODLE_END = "_assignsubmission_file"
LAYOUTS = {
    "a week's folder": [
        ("week3/euler.ipynb", "03", "euler", "Euler"),
        ("week3/galois.ipynb", "03", "galois", "Galois"),
        ("week 5/euler.ipynb", "05", "euler", "Euler"),
        ("late/03_masking (1).ipynb", "03", None, None),
    ],
    "a course's folder": [
        ("Analysis II/Blatt A/euler_03.ipynb", "03", "euler", "Euler"),
        ("Analysis II/Blatt A/galois_03.ipynb", "03", "Galois", "Galois"),
        ("Analysis II/Blatt A/03_masking.ipynb", "03", None, None),
        ("Analysis II/Blatt B/Galois.ipynb", "05", "Galois", "Galois"),
        ("Analysis II/Blatt B/Adam.ipynb", "05", "Adam", None),
    ],
    "downloads of a course, with a browser's names": [
        ("Analysis II/03_masking.ipynb", "03", None, None),
        ("Analysis II/03_masking (1).ipynb", "03", None, None),
        ("Analysis II/03_masking (2).ipynb", "03", None, None),
    ],
    "learners' folders": [
        ("euler/03_masking/03_masking.ipynb", "03", "euler", "Euler"),
        ("euler/week 5/anything.ipynb", "05", "euler", "Euler"),
        ("galois/03_masking.ipynb", "03", "galois", "Galois"),
        ("galois/03_masking (1).ipynb", "03", "galois", "Galois"),
        ("zoe/03 final.ipynb", "03", "zoe", None),
        ("zoe/03 old.ipynb", "03", "zoe", None),
    ],
    "one's folder with a name that would be another's": [
        ("galois/euler_12_34_03_masking.ipynb", "03", "galois", "Galois"),
        (f"Ada Lovelace_12{MOODLE_END}/Leonhard Euler_13{MOODLE_END}_x.ipynb", "03",
         "Ada Lovelace", "Lovelace"),
        (f"Zoe_14{MOODLE_END}/euler.ipynb", "03", "Zoe", None),
    ],
    "Gradescope": [
        ("assignment_5123456_export/submission_281234567/03_masking.ipynb", "03",
         "submission_281234567", None),
        ("assignment_5123456_export/submission_281234568/answers.ipynb", "03",
         "submission_281234568", None),
    ],
    "ILIAS": [
        ("Blatt 3/Lovelace_Ada_adal_7001/03_masking.ipynb", "03", "Lovelace_Ada_adal_7001",
         "Lovelace"),
        ("Blatt 3/Euler_Leonhard_euler_7002/20261102101112_x.ipynb", "03",
         "Euler_Leonhard_euler_7002", "Euler"),
        ("Blatt 3/Team_12/Galois_Evariste_galois_7003/x.ipynb", "03",
         "Galois_Evariste_galois_7003", "Galois"),
        ("Blatt 3/Team_12/Curie_Marie_mcurie7_7004/x.ipynb", "03", "Curie_Marie_mcurie7_7004",
         "Curie"),
    ],
    "Canvas": [
        ("submissions/lovelaceada_123_456_03_masking.ipynb", "03", "lovelaceada", "Lovelace"),
        ("submissions/eulerleonhard_LATE_124_457_03_masking-1.ipynb", "03", "eulerleonhard",
         "Euler"),
    ],
    "Canvas, in a folder": [
        ("Homework/03 (2)/lovelaceada_123_456_03_masking.ipynb", "03", "lovelaceada", "Lovelace"),
        ("Homework/03 (2)/eulerleonhard_LATE_124_457_03.ipynb", "03", "eulerleonhard", "Euler"),
        ("Homework/03 (2)/doezoe_125_458_euler.ipynb", "03", "doezoe", None),
    ],
    "Moodle": [
        (f"Ada Lovelace_12345{MOODLE_END}/03_masking.ipynb", "03", "Ada Lovelace", "Lovelace"),
        (f"Leonhard Euler_12346{MOODLE_END}_/more/03_masking.ipynb", "03", "Leonhard Euler",
         "Euler"),
        (f"Marie Curie_12347{MOODLE_END}_03_masking.ipynb", "03", "Marie Curie", "Curie"),
    ],
    "Moodle, in a folder": [
        (f"CS 1-Week 3-99/Ada Lovelace_12345{MOODLE_END}/a.ipynb", "03", "Ada Lovelace",
         "Lovelace"),
        (f"CS 1-Week 3-99/Leonhard Euler_12346{MOODLE_END}/a.ipynb", "03", "Leonhard Euler",
         "Euler"),
        (f"CS 1-Week 3-99/Team A-Marie Curie_12347{MOODLE_END}/a.ipynb", "03",
         "Team A-Marie Curie", "Curie"),
        (f"CS 1-Week 3-99/Participant_12348{MOODLE_END}/a.ipynb", "03", "Participant", None),
    ],
    "Blackboard": [
        ("Homework 3_adal_attempt_2026-11-02-10-11-12_03_masking.ipynb", "03", "adal", "Lovelace"),
        ("Homework 3_euler_attempt_2026-11-02-10-11-13_galois.ipynb", "03", "euler", "Euler"),
        ("gradebook_CS1/Homework 3_zoe_attempt_2026-11-02-10-11-14_x.ipynb", "03", "zoe", None),
        ("gradebook_CS1/Homework 3_galois_attempt_2026-11-02-10-11-15_x.ipynb", "03", "galois",
         "Galois"),
    ],
    "Brightspace": [
        ("12345-678901 - Ada Lovelace - Nov 2, 2026 1011 AM/03_masking.ipynb", "03",
         "Ada Lovelace", "Lovelace"),
        ("12346-678901 - Leonhard Euler - Nov 2, 2026 1012 PM - 03_masking.ipynb", "03",
         "Leonhard Euler", "Euler"),
    ],
    "GitHub Classroom": [
        ("masking-submissions/masking-adal/03_masking.ipynb", "03", "masking-adal", "Lovelace"),
        ("masking-submissions/masking-euler/03_masking.ipynb", "03", "masking-euler", "Euler"),
    ],
    "Google Classroom and Drive": [
        ("drive-download-20261102T101112Z-001/Ada Lovelace - 03_masking.ipynb", "03",
         "Ada Lovelace", "Lovelace"),
        ("drive-download-20261102T101112Z-001/Copy of euler_03.ipynb", "03", "euler", "Euler"),
        ("drive-download-20261102T101112Z-001/Copy of 03_masking.ipynb", "03", None, None),
        ("drive-download-20261102T101112Z-001/Kopie von 03_masking.ipynb", "03", None, None),
        ("drive-download-20261102T101112Z-001/Copie de galois 03_masking (2).ipynb", "03",
         "galois", "Galois"),
        ("drive-download-20261102T101112Z-001/Copia di 03_masking - Kopie.ipynb", "03", None,
         None),
    ],
    "Sakai": [
        ("Week 3/Lovelace, Ada(adal)/Submission attachment(s)/03_masking.ipynb", "03",
         "Lovelace, Ada(adal)", "Lovelace"),
        ("Week 3/Euler, Leonhard(euler)/Submission attachment(s)/03_masking.ipynb", "03",
         "Euler, Leonhard(euler)", "Euler"),
    ],
    "Teams": [
        ("Submitted files/Ada Lovelace/Week 3/Version 1/03_masking.ipynb", "03", "Ada Lovelace",
         "Lovelace"),
        ("Submitted files/Leonhard Euler/Week 3/Version 2/x.ipynb", "03", "Leonhard Euler",
         "Euler"),
    ],
    "nbgrader": [
        ("submitted/adal/03_masking/03_masking.ipynb", "03", "adal", "Lovelace"),
        ("autograded/adal/03_masking/03_masking.ipynb", "03", "adal", "Lovelace"),
        ("submitted/euler/05_self_attention/05_self_attention.ipynb", "05", "euler", "Euler"),
        ("submitted/03_masking/galois/work.ipynb", "03", "galois", "Galois"),
    ],
    "names behind the lesson's": [
        ("03_masking_curie.ipynb", "03", "curie", "Curie"),
        ("curie-lesson5 (1).ipynb", "05", "curie", "Curie"),
        ("Masking Ada Lovelace.ipynb", "03", "Ada Lovelace", "Lovelace"),
        ("03_masking_70002.ipynb", "03", "70002", "Euler"),
        ("03_masking_ada@x.org.ipynb", "03", "ada@x.org", "Lovelace"),
        ("Ada Byron.ipynb", "03", "Ada Byron", None),
    ],
    "what tells nobody": [
        (f"{name}.ipynb", "03", None, None)
        for name in ("my_answers_03", "my_answers_03 (1)", "My answers 03", "03_masking",
                     "03_masking (1)", "03_masking(2)", "03_masking - Copy", "Masking",
                     "Copy of Untitled (3)", "Cópia de 03_masking", "Kopi af 03_masking",
                     "Lesson 3", "03_masking/hw3", "solution_final_v2", "Abgabe 3")
    ],
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_path_tells_who_handed_in_the_file(layout, tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(CLASS, "utf-8")
    rows = LAYOUTS[layout]
    held, known = {file: lesson for file, lesson, _, _ in rows}, roster.read(path)
    people, strangers, nameless = roster.people(held)
    found = {f: None if f in nameless else people[f].name for f in held}
    assert found == {file: name for file, _, name, _ in rows}
    assert not strangers and len({people[f] for f in nameless}) == len(nameless)
    people, strangers, _ = roster.people(held, known)
    found = {f: None if f in strangers else people[f].name.split()[-1] for f in held}
    assert found == {file: last for file, _, _, last in rows}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "Ada Lovelace_12_assignsubmission_file_/more/x.ipynb",
            Learner("Ada Lovelace", None, "12"),
        ),
        ("lovelaceada_12345_67890_01_kernel-1.ipynb", Learner("lovelaceada", "12345")),
        ("LATE_anon_x7Ye2_67890_03_masking.ipynb", Learner("anon_x7Ye2")),
        ("anna/x_Bob Jones_456_assignsubmission_file_01.ipynb", Learner("anna")),
        ("anna/03_masking/Bob Jones_456_assignsubmission_file/01.ipynb", Learner("anna")),
        ("ada_01_02_work.ipynb", Learner("ada_01_02_work")),
        ("ada.lovelace.ipynb.txt", Learner("ada.lovelace")),
        ("hw.py", Learner("hw")),
    ],
)
def test_a_system_tells_numbers_too_and_no_file_whose_folder_it_lies_in(path, expected):
    assert roster.people({path: "03"})[0] == {path: expected}


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
        "Ada", "Ada", "bob", "group_01", "group_02", "eve", "eve", "x_01", "Jo"
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
