"""The parts that all rooms use: roles, options, runs, state, arguments and rows."""
