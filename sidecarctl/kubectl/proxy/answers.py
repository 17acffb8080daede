"""What comes back for a request: an answer of the API server, or none."""

from dataclasses import dataclass

from sidecarctl.facts.values import Object


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the API server: the status code of HTTP, the object, and how many seconds it asks to wait."""

    status: int
    body: Object
    retry_after: float | None = None

    @property
    def is_good(self) -> bool:
        """Whether what was asked was done."""
        return 200 <= self.status < 300

    @property
    def reason(self) -> str:
        """The reason of a refusal in the words of the API, such as `Conflict`; empty if it names none."""
        return "" if self.is_good else str(self.body.get("reason") or "")

    @property
    def message(self) -> str:
        """The sentence that comes with a refusal."""
        return "" if self.is_good else str(self.body.get("message") or f"HTTP status {self.status}")


class NoAnswerError(Exception):
    """The API server has not answered; the text is a sentence about why.

    `may_be_done`: the request may have reached it all the same, so that what it asked for may have been done.
    """

    def __init__(self, message: str, *, may_be_done: bool = True) -> None:
        super().__init__(message)
        self.may_be_done = may_be_done


class RefusedError(Exception):
    """The API server has refused a request whose answer would have gone on."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


class ProxyGoneError(NoAnswerError):
    """The proxy does not run any more, so nothing will be answered again; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("kubectl proxy has ended", may_be_done=False)
