"""What makes a lesson answer back: `check`, `judge`, `predict`, `explore`, `check_parameters`.

`table` shows numbers side by side.

check(my_function) runs the learner's function on small cases, apart from the notebook, and says
in words what is wrong. judge/exercise.py tells how a teacher adds a mistake or an exercise.
Nothing here prints what an exercise asks for.
"""

from attn_teach.plotting import DescribedFigure

from .catalogue import check, judge, predict
from .cells import watch
from .parameters import check_parameters
from .pictures import few_colors
from .tables import table

__all__ = ["check", "judge", "predict", "explore", "check_parameters", "table"]
watch()
DescribedFigure.shrink = staticmethod(few_colors)  # of every figure that a lesson shows


def __getattr__(name):
    if name == "explore":  # needs IPython, which attn_teach itself does not
        from .widgets import explore

        return explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
