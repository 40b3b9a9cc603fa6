"""The commands as they are typed: the options of each, which are handed to the module that does it.

What that needs is imported when the command runs, so that `--help` is quick.
"""

__all__: list[str] = []
