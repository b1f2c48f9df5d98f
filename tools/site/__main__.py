"""`python -m tools.site`: see site.py."""

from tools.site.site import main

main()
