"""Mark a folder of returned notebooks: `python -m classroom.marking folder`.

read.py finds a notebook's answers, guard.py locks up what runs them, desk.py runs and judges them,
pages.py writes what came out, and __main__.py is the command.
"""
