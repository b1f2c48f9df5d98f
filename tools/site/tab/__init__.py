"""Exercises answered in a page: Python in the browser runs an answer, and the judge's words come.

How the pieces go together. Before, where torch is: `exercises.told()` gives each exercise's stub
and an answer, from the lessons. In the page, where Python and NumPy are and no torch, the worker

    - writes into one folder, with their paths from the root: this folder's modules that a page runs
      (all but exercises.py and what makes pages), attn_teach/*.py, and attn_lesson with its texts;
      besides what was told, as JSON;
    - puts that folder on sys.path, and calls, once,

          from tools.site.tab import judging
          judging.use(json.load(open("exercises.json")))
          judging.exercises()     # {name: (stub, an answer)} of the exercises it knows

    - and for an answer judging.check(name, code), which gives (status, message): "right"; "wrong",
      with hints one by one on repeated calls; "numbers", where they are right and the notebook
      checks more; "cannot", where the answer uses what this page lacks.
      It never raises, but an endless loop does not return: end the worker then, and begin anew.

torch_names.py puts torch's names together: dtypes.py, tensors.py (the class, indexing, and how an
operation becomes function and method), each.py, totals.py, shapes.py, places.py, products.py,
making.py, functional.py, modules.py. What is missing may be imported, and raises missing.Missing
where it is used. borrowed.py loads the course's own modules over these names, the judge and the
exercises too: with torch's own random numbers their cases are those of the notebook.

Of the judge's checks two are left to the notebook: gradients, and functions that are only reached
by another name than that which the exercise forbids. tests/test_tab.py tries each name beside
torch's own, and the check on what is kept of learners.
"""
