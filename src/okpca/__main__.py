"""`python -m okpca`."""

from okpca.cli import main

if __name__ == "__main__":
    main()
