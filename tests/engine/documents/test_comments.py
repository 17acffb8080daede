"""Comments still describe what they described, whatever is edited beside them."""

from collections import Counter

from hypothesis import HealthCheck, assume, given, reject
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing.document_edits import prove
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.values import Value, applied
from tests.effort import share
from tests.engine.documents.comment_owners import changed_owners, comments_beside
from tests.engine.documents.random_edits import additions, changes
from tests.engine.documents.test_promises import edited
from tests.engine.documents.ugly import Ugly, commented_documents


def _lists_in_lists(value: Value) -> bool:
    """Whether a list is an item of a list, which no field of the API is."""
    if isinstance(value, dict):
        return any(map(_lists_in_lists, value.values()))
    return isinstance(value, list) and any(isinstance(item, list) or _lists_in_lists(item) for item in value)


def test_comments_keep_their_owners() -> None:
    beside: Counter[bool] = Counter()

    # Drawing goes on until half of the examples have a comment beside the edit; of all texts a third has one.
    @share(100, list(HealthCheck))
    @given(st.data(), commented_documents())
    def property_of_edits(data: st.DataObject, ugly: Ugly) -> None:
        edits = data.draw(additions(ugly.value) | changes(ugly.value))
        try:
            (document,) = Reader().documents_of(ugly.text)
        except InputError:  # JSON allows no comments
            reject()
        result = edited(document, edits) if edits else None
        assume(result is not None and not result.rewritten)
        assert result is not None
        assume(not _lists_in_lists(ugly.value) and not _lists_in_lists(applied(ugly.value, edits)))
        try:
            prove(Reader(), document, result, applied(ugly.value, edits))
        except ImpossibleError:  # so it is with the text that the edits make
            reject()
        is_beside = bool(comments_beside(document, result))
        assume(is_beside or data.draw(st.integers(0, 9)) == 7)  # most texts are to have a comment beside the edit
        beside[is_beside] += 1
        (again,) = Reader().documents_of(document.prefix + result.text)
        assert not changed_owners(document, result, again)

    property_of_edits()
    assert beside[True] >= beside[False]
