"""Exercises answered in a page: Python in the browser runs an answer, and the judge's words come.

How the pieces go together. Before, where torch is: `table.kept()` gives the table as bytes, made by
the real judge from the lessons' exercises and kept in build/ until a source changes. In the page,
where Python and NumPy are and no torch, the worker

    - writes into one folder, with their paths from the root: this folder's modules that a page runs
      (all but table.py and what makes pages), attn_teach/*.py, and from attn_lesson words.py,
      sentences.md, judge/*.py, judge/common.md and each lesson's exercises.py and mistakes.md;
      besides the table, under any name;
    - puts that folder on sys.path, and calls, once,

          from tools.site.tab import judging
          judging.use(open("table.bin", "rb").read())
          judging.exercises()     # {name: (stub, an answer)} of the exercises it knows

    - and for an answer judging.check(name, code), which gives (status, message): "right"; "wrong",
      with hints one by one on repeated calls; "numbers", where they are right and the notebook
      checks more; "cannot", where the answer uses what this page lacks.
      It never raises, but an endless loop does not return: end the worker then, and begin anew.

torch_names.py puts torch's names together: dtypes.py, tensors.py (the class, indexing, and how an
operation becomes function and method), each.py, totals.py, shapes.py, places.py, products.py,
making.py, functional.py, modules.py. What is missing may be imported, and raises missing.Missing
where it is used. borrowed.py loads the course's own modules, and the judge, over these names;
desk.py is the judge's bench over the table, stored.py how that is written and read.

Of the judge's checks two are left to the notebook: gradients, and functions that are only reached
by another name than that which the exercise forbids. tests/test_tab.py tries each name beside
torch's own, and the check on what is kept of learners.
"""
