"""Words that the library and the prompt both know; the prompt reads them before anything is
loaded."""

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".npy": "npy",
    ".npz": "npz",
}
"""Of files of rows, by the end of their names."""

KINDS = tuple(dict.fromkeys(FORMATS.values()))
ON_BAD_ROW = ("raise", "skip", "impute")
