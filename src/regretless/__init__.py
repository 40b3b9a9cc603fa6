"""Online learning: from a stream, in one pass, with a certificate.

The rooms are `linear` (classifiers and regressors), `losses`, `rules` and `rates` (the parts they are
made of), `certificates`, and the optional `river` and `sklearn` (the same learners as subclasses of
those libraries' base classes).
"""

__version__ = "0.1.0"
