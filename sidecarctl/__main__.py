"""`python -m sidecarctl` and the console script."""


def main() -> None:
    """Run the command line."""


if __name__ == "__main__":
    main()
