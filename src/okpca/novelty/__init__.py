"""Is this row like those before it, and if not, which column is to blame?"""

from okpca.novelty.detector import KernelNoveltyDetector
from okpca.novelty.watch import Monitored

__all__ = ["KernelNoveltyDetector", "Monitored"]
