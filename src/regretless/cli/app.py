"""The program: all commands in one."""

from __future__ import annotations

import click

from regretless.cli.declare import Declared, Group, Option

_COMPLETE = "_REGRETLESS_COMPLETE"
_SUMMARIES = {
    "train": "Train a model on files, one example at a time.",
    "predict": "Predict examples with a model that train has saved.",
    "inspect": "Show the options of a model and its strongest features.",
    "compare": "Train several learners in one pass, and show which does best.",
    "experts": "Combine the forecasts of several experts.",
    "bandit": "Estimate the value of a policy from the log of another policy.",
    "game": "Solve a zero-sum matrix game.",
}

app = Group(
    "regretless",
    help="""Learn from a stream, one example at a time.

    Models are trained in one pass with nothing to tune, and come with a certificate: how far
    the best fixed model could be ahead.
    """,
    commands={name: (f"regretless.cli.{name}", text) for name, text in _SUMMARIES.items()},
)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from regretless import __version__

        print(f"regretless {__version__}")
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        print(_script(_shell()))
        context.exit()


def _install_completion(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Write the script to where the shell finds it."""
    if not wanted:
        return
    from pathlib import Path

    shell = _shell()
    if shell == "fish":
        path = Path.home() / ".config/fish/completions/regretless.fish"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_script(shell) + "\n")
    else:
        path = Path.home() / f".{shell}rc"
        line = f'eval "$({_COMPLETE}={shell}_source regretless)"\n'
        if not path.exists() or line not in path.read_text():
            with path.open("a") as file:
                file.write(f"\n# completion of regretless\n{line}")
    print(f"completion for {shell} is installed in {path}; open a new terminal to use it")
    context.exit()


def _shell() -> str:
    import os

    name = os.path.basename(os.environ.get("SHELL", ""))
    if name not in ("bash", "zsh", "fish"):
        raise click.UsageError(
            f"completion exists for bash, zsh and fish, and $SHELL is {name or 'not set'}"
        )
    return name


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "regretless", _COMPLETE).source()


for _name, _callback, _help in (
    ("--version", _show_version, "Show the version and exit."),
    ("--install-completion", _install_completion, "Install completion for the shell of $SHELL."),
    ("--show-completion", _show_completion, "Print the completion script of this shell, and exit."),
):
    _made = Option([_name], is_flag=True, is_eager=True, expose_value=False, callback=_callback)
    _made.declared = Declared((_name,), _help, "Options")
    app.params.append(_made)
