"""Comments still describe what they described, whatever is edited beside them."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing.document_edits import prove
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import applied
from tests.engine.documents.comment_owners import changed_owners, comments_beside
from tests.engine.documents.random_edits import additions, changes
from tests.engine.documents.test_promises import edited, examples
from tests.engine.documents.ugly import Ugly, commented_documents


def test_comments_keep_their_owners() -> None:
    beside: Counter[bool] = Counter()

    @examples(300)
    @given(st.data(), commented_documents())
    def property_of_edits(data: st.DataObject, ugly: Ugly) -> None:
        edits = data.draw(additions(ugly.value) | changes(ugly.value))
        (document,) = Reader().documents_of(ugly.text)
        result = edited(document, edits) if edits else None
        if result is None or result.rewritten:
            return
        try:
            prove(Reader(), document, result, applied(ugly.value, edits))
        except ImpossibleError:  # the text would be JSON, which allows no comments
            return
        beside[bool(comments_beside(document, result))] += 1
        (again,) = Reader().documents_of(document.prefix + result.text)
        assert not changed_owners(document, result, again)

    property_of_edits()
    assert beside[True] >= beside[False]
