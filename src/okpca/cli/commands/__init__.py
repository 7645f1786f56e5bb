"""What each command does; its options and its help are in `app`."""
