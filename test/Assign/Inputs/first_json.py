"""Prints the first JSON block of a Markdown file."""
import re
import sys

print(re.search(r"```json\n(.*?)```", open(sys.argv[1]).read(), re.S)[1])
