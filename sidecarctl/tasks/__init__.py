"""Inject, plan and the rest as operations on a world of sets, pods and namespaces. Pure."""
