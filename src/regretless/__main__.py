"""`python -m regretless`."""

from regretless.cli import main

if __name__ == "__main__":
    main()
