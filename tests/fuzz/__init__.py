"""Fuzzers: hostile files, tables, calls and threads, by seed, each case in a process that may die.

Each module is a command: `python tests/fuzz/files.py --cases 1000`. See `harness.py`.
"""
