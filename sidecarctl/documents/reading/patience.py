"""What is in vain several times in succession is left out for a while."""

IN_VAIN = 8
"""How often in succession."""
LEFT_OUT = 16
"""For how many times as long."""


class Patience:
    """Whether to try something again."""

    def __init__(self) -> None:
        self._in_vain = 0
        self._left_out = 0

    def is_tried(self) -> bool:
        """Whether to try it now."""
        if not self._left_out:
            return True
        self._left_out -= 1
        return False

    def ended(self, *, in_vain: bool) -> None:
        """It was tried."""
        self._in_vain = self._in_vain + 1 if in_vain else 0
        if self._in_vain == IN_VAIN:
            self._in_vain, self._left_out = 0, LEFT_OUT * IN_VAIN
