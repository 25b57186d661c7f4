"""The assistant of a shop, without a guard."""

import sys

from model import ask

print(ask(sys.argv[1]))
