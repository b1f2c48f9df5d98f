"""`python -m tools.editions`: see editions.py."""

from tools.editions.editions import main

main()
