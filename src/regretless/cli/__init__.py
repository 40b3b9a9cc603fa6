"""The command line: `regretless train` and the other commands.

A command is imported when it runs, and imports what it needs when it needs it, so that all of them
start at once and `--help` does not even import NumPy.
"""

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process."""
    from regretless.cli.app import app

    app(prog_name="regretless")
