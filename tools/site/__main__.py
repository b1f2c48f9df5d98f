"""`python -m tools.site`: see site.py."""

from tools.progress import stoppable

with stoppable("what was drawn for whole lessons is kept for the next time"):
    from tools.site.site import main  # this takes seconds, in which somebody may press Ctrl-C

    main()
