"""Whether a function is older than the notebook's newest cell that defines it, as that failed."""

import re
import sys

DEFINES = re.compile(  # "def" may be what is mistyped
    r"^[ \t]*(?:(?!del\b)[dD]\w{0,3}|class)[ \t]*(my_\w+)", re.MULTILINE
)

_bound = {}  # each my_... of the notebook, as the last cell left it
_failed = {}  # name -> (what it still is, the error of the cell that should have defined it anew)


def shell():
    """IPython's shell, or None where no IPython runs this."""
    return sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()


def watch():
    """From now on look at each cell that IPython has run; elsewhere there are no cells."""
    here = shell()
    if here is not None:
        here.events.register("post_run_cell", lambda result: _look(here.user_ns, result))


def _look(names, result):
    now = {name: value for name, value in names.items() if name.startswith("my_")}
    if not result.success:
        error = type(result.error_before_exec or result.error_in_exec).__name__
        for name in DEFINES.findall(result.info.raw_cell):
            if name in now and now[name] is _bound.get(name):
                _failed[name] = now[name], error
    _bound.clear()
    _bound.update(now)


def failed(function):
    """The error that kept a cell from defining this function anew, such as "SyntaxError"."""
    return next((error for value, error in _failed.values() if value is function), None)
