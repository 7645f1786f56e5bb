"""Is this row like those before it, and if not, which column is to blame?"""

from okpca.detection.detector import KernelNoveltyDetector
from okpca.detection.tracking import SubspaceTracker, overlap
from okpca.detection.watch import Monitored

__all__ = ["KernelNoveltyDetector", "Monitored", "SubspaceTracker", "overlap"]
