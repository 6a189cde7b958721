"""Traces: what the scheduler did, recorded, read back and shown.

annotate     a user's own words in a trace: region, task, log
record       from the threads' trails into a file, or kept for some seconds
files        the file
replay       all events in one order, and the state of everything at each of them; queues: who stands in which queue, where that is told
summary      figures of a trace; perfetto: a trace for the Perfetto UI; sentences: an event in words
timeline     a trace as a picture in time; svg: drawn; sheet: what it is drawn on
"""

from gosched.trace.annotate import Task as Task
from gosched.trace.annotate import is_enabled as is_enabled
from gosched.trace.annotate import log as log
from gosched.trace.annotate import region as region
from gosched.trace.annotate import task as task
from gosched.trace.record import FlightRecorder as FlightRecorder
from gosched.trace.record import flight_recorder as flight_recorder
