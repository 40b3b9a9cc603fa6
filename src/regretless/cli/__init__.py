"""The command line: `regretless train` and the other commands.

What a command needs is imported when it runs, so that `--help` and `--version` are quick.
"""

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process."""
    from regretless.cli.app import app

    app(prog_name="regretless")
