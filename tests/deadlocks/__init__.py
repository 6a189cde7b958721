"""Tests of find_deadlocks and the wait-for graph."""
