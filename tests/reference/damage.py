"""Model files that lack something."""

from regretless.base import persistence

__all__ = ["damaged"]


def damaged(model, name, folder):
    """Paths of the model's file with one array cut short, and without it."""
    model.save(folder / "whole")
    description, arrays = persistence.read(folder / "whole")
    for k, damage in enumerate(({name: arrays[name][:-1]}, {})):
        kept = {key: value for key, value in arrays.items() if key != name}
        persistence.write(folder / f"damaged {k}", description, kept | damage)
        yield folder / f"damaged {k}"
