"""The commands, in the groups of the help; `cli/app.py` loads them."""

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Look at pods and rollouts": {
        "plan": "Show a rollout, wave by wave, before it happens.",
        "diff": "Show what a SidecarSet change means for running pods.",
        "explain": "Explain why a pod has its sidecars, and why it is not updated.",
        "status": "Show how far SidecarSets are rolled out, and the state of each pod.",
        "drift": "Show which pods do not run what their SidecarSets say.",
        "images": "Show which images sidecars have, and what it takes to get the wanted ones.",
        "cost": "Show what sidecars request, and their share of all requests.",
        "merge": "Join the JSON reports of several clusters.",
        "revisions": "List, make, compare and restore revisions of SidecarSets.",
        "hash": "Print the two hashes by which Kruise detects changes.",
    },
    "Change manifests": {
        "inject": "Inject sidecars into pods and workloads, as Kruise would.",
        "uninject": "Remove what injection added to pods and workloads.",
        "convert": "Convert SidecarSets to the other API version.",
    },
    "Update pods in a cluster": {
        "render": "Print the patches of a plan.",
        "push": "Apply a plan to a live cluster, wave by wave.",
        "rollback": "Plan how to undo a plan.",
    },
    "Check": {
        "validate": "Check SidecarSets for errors, conflicts and bad practice.",
        "test": "Test expectations about sidecars.",
        "rules": "List the rules of validate.",
        "kinds": "List the kinds with known pod templates.",
        "schema": "Print JSON Schemas of SidecarSet and of sidecarctl documents.",
    },
    "Tools": {
        "plugin": "Install plugins for kubectl and kustomize.",
        "completion": "Print the script that completes command lines in a shell.",
        "help": "Show the help of a command.",
        "version": "Print the version, and the Kruise behavior that is computed.",
    },
}
"""The groups of the help, and in each the commands with their lines there."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
