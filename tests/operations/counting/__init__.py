"""Tests of what is counted over pods: images and costs."""
