"""Comments still describe what they described, whatever is edited beside them."""

from hypothesis import assume, given, reject
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing.document_edits import prove
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.values import Edit, applied
from tests.effort import reaches_half
from tests.engine.documents.comment_owners import changed_owners, comments_beside
from tests.engine.documents.random_edits import additions, changes
from tests.engine.documents.test_promises import edited, examples
from tests.engine.documents.ugly import Ugly, commented_documents, without_lists_in_lists


def _fitting(edit: Edit) -> Edit:
    """The edit, with a value that makes no list in a list."""
    new = without_lists_in_lists([edit.value])[0] if isinstance(edit.path[-1], int) else edit.value
    return edit._replace(value=without_lists_in_lists(new))


@reaches_half
@examples(400)
@given(st.data(), commented_documents())
def test_comments_keep_their_owners(data: st.DataObject, ugly: Ugly) -> None:
    edits = [_fitting(edit) for edit in data.draw((additions(ugly.value) | changes(ugly.value)).filter(bool))]
    try:
        (document,) = Reader().documents_of(ugly.text)
    except InputError:  # JSON allows no comments
        reject()
    result = edited(document, edits)
    assume(result is not None and not result.rewritten)
    assert result is not None
    try:
        prove(Reader(), document, result, applied(ugly.value, edits))
    except ImpossibleError:  # so it is with the text that the edits make
        reject()
    (again,) = Reader().documents_of(document.prefix + result.text)
    assert not changed_owners(document, result, again)
    assume(comments_beside(document, result))
