"""``python -m geoaudit``: the command line."""

from geoaudit.cli.main import run

if __name__ == "__main__":
    run()
