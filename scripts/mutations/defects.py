"""All defects. The first twelve are those that the design names."""
from mutations.agent import AGENT
from mutations.planner import PLANNER
from mutations.queue import QUEUE
from mutations.server import SERVER

DEFECTS = sorted(PLANNER + QUEUE + AGENT + SERVER, key=lambda one: one.number)
