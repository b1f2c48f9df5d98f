"""Say in one sentence why this Python cannot hold the lessons' packages, if it cannot.

Old Pythons must be able to read this file, so it uses no newer syntax.
"""

import sys

problem = None
if sys.version_info < (3, 10):
    problem = "Python %d.%d is too old: install Python 3.10 or newer" % sys.version_info[:2]
else:
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        problem = (
            "this Python lacks its module '%s': install it "
            "(on Debian and Ubuntu: apt install python3-venv)" % error.name
        )
if problem:
    sys.exit(
        "%s: %s, or name another, as in: make lab PYTHON=python3.12" % (sys.executable, problem)
    )
