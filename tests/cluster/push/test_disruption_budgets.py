"""PodDisruptionBudgets of a real API server: they count under `--respect-pdb`, and are read again during the push.

No controller keeps their status: a new one says `desiredHealthy: 0` of no generation.
"""

from tests.cluster.push.pushing import Pushing, begin, updated
from tests.cluster.shop import Shop


def test_a_budget_holds_the_push_until_it_has_room(shop: Shop) -> None:
    budgets = f"/apis/policy/v1/namespaces/{shop.namespace}/poddisruptionbudgets"
    labels = {"budget": "web"}
    begin(shop, 2)
    for name in ("p00", "p01"):
        assert shop.api.patch(shop.path(name), {"metadata": {"labels": labels}}).code == 200
    spec = {"minAvailable": 2, "selector": {"matchLabels": labels}}
    shop.api.create(
        budgets, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
    )
    with Pushing(shop, "--respect-pdb") as push:
        why = push.until("Waiting")["why"]
        assert updated(shop, ["p00", "p01"]) == []
        assert shop.api.patch(f"{budgets}/web", {"spec": {"minAvailable": 1}}).code == 200
        push.end()
    assert why.startswith(f"PodDisruptionBudget {shop.namespace}/web needs 2 healthy pods, and 2 are")
    assert updated(shop, ["p00", "p01"]) == ["p00", "p01"]
