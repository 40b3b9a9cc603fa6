"""What every room is built on: roles, runs, state, arguments and rows."""
