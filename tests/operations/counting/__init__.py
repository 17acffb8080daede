"""Tests of counts over pods: images and costs."""
