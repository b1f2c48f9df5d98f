"""`python -m tools.editions`: see editions.py."""

from tools.progress import stoppable

with stoppable("the same command writes all of them"):
    from tools.editions.editions import main

    main()
