"""Is this row like those before it, and if not, which column is to blame?"""

from okpca.detection.detector import KernelNoveltyDetector
from okpca.detection.drift import Drift
from okpca.detection.monitored import Monitored
from okpca.detection.video_tracker import SubspaceTracker, overlap

__all__ = ["Drift", "KernelNoveltyDetector", "Monitored", "SubspaceTracker", "overlap"]
