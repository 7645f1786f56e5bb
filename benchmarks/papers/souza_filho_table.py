"""What Souza Filho & Diniz publish: Table II, and their words on Figure 1."""

NAMES = ("OKHA", "Tanaka", "SubKHA", "OO-KHA", "ON-KHA")
COUNTS = (50_000, 150_000, 500_000)

# Dictionary and rows; mean and standard deviation of 25 runs, in the order of NAMES; χ²(4) of
# Kruskal-Wallis.
TABLE_II = """\
full   50000  0.4887 0.0572  0.3841 0.0719  0.4887 0.0572  0.5974 0.0513  0.7891 0.0537  101.70
full  150000  0.8525 0.0579  0.5097 0.0594  0.8525 0.0579  0.8650 0.0777  0.8923 0.0566   63.17
full  500000  0.9582 0.0306  0.6809 0.0869  0.9582 0.0306  0.9426 0.0571  0.9484 0.0432   59.24
small  50000  0.4220 0.0410  0.3294 0.0765  0.2637 0.0185  0.4905 0.0486  0.6327 0.0499  106.71
small 150000  0.6320 0.0644  0.4249 0.0727  0.3820 0.0446  0.6718 0.0582  0.6800 0.0465   91.63
small 500000  0.6917 0.0531  0.5518 0.0830  0.4229 0.0439  0.7021 0.0510  0.6965 0.0499   83.46
"""
Row = tuple[tuple[float, ...], tuple[float, ...], float]  # means, deviations, χ²


def read(line: str) -> tuple[tuple[str, int], Row]:
    dictionary, count, *cells = line.split()
    *pairs, chi2 = map(float, cells)
    return (dictionary, int(count)), (tuple(pairs[::2]), tuple(pairs[1::2]), chi2)


PUBLISHED = dict(map(read, TABLE_II.splitlines()))

LEVEL = 0.8  # of AC, by which they say how fast an algorithm is
TO_LEVEL = {"OKHA": 125_000, "SubKHA": 125_000, "OO-KHA": 100_000, "ON-KHA": 55_000}  # published
