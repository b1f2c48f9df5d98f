"""Mark a folder of returned notebooks: `python -m classroom.marking folder`.

read.py finds a notebook's answers, booth.py runs them, guard.py locks up what does, desk.py judges
them, copies.py compares them, pages.py writes what came out, and __main__.py is the command.
"""
