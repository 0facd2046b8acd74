"""The demo of ad groups: three campaigns, one ad group or more in each state with days behind it, two mismatches."""

from pabal.apps.adgroups.demo.filling import clear, compare, load
from pabal.platform.slice import Demo

DEMO = Demo(load=load, clear=clear, after=compare)
