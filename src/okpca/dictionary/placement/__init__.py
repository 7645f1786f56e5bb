"""Where atoms go: by clustering in mid-stream, by a search, as a subset, or one pre-image at a
time; one file each."""
