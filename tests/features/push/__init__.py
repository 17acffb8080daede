"""Tests of push: the machine in virtual time, the shell against an API server in memory."""
