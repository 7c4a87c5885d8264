"""Checks the syntax of udev rules, for machines whose udevadm has no `verify` (before systemd 254).

    python3 scripts/udev_rules.py FILE...

It knows what our rules use: udev(7), "Rules Files". Exit status 1, with file, line and reason, where
a line is no list of known matches and assignments, or a GOTO leads nowhere.
"""

import re
import sys

MATCH = {"ACTION", "SUBSYSTEM", "SUBSYSTEMS", "KERNEL", "KERNELS", "TAG", "DRIVERS"}
ASSIGN = {"SYMLINK", "TAG", "GROUP", "MODE", "GOTO", "LABEL"}
MATCH_WITH_NAME = {"ATTR", "ATTRS", "ENV"}
ASSIGN_WITH_NAME = {"ATTR", "ENV"}
TOKEN = re.compile(r'([A-Z]+)(?:\{([^{}"]+)\})?(==|!=|\+=|-=|:=|=)"((?:[^"\\]|\\.)*)"$')


def split(line):
    """The tokens of a rule; commas inside quotes do not count."""
    return [part.strip() for part in re.findall(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+', line)]


def problems(text):
    rules, labels, jumps, found = [], set(), [], []
    joined = text.replace("\\\n", "\0")
    number = 1
    for raw in joined.split("\n"):
        line = raw.replace("\0", " ").strip()
        if line and not line.startswith("#"):
            rules.append((number, line))
        number += 1 + raw.count("\0")
    for number, line in rules:
        for part in split(line):
            token = TOKEN.fullmatch(part)
            if not token:
                found.append((number, f"not a match or an assignment: {part}"))
                continue
            key, name, operator, value = token.groups()
            is_match = operator in ("==", "!=")
            plain, named = (MATCH, MATCH_WITH_NAME) if is_match else (ASSIGN, ASSIGN_WITH_NAME)
            if key not in (named if name else plain):
                found.append((number, f"{key} is not known with {operator}"))
            if key == "LABEL":
                labels.add(value)
            if key == "GOTO":
                jumps.append((number, value))
        if line.count('"') % 2:
            found.append((number, "a quote is open"))
    found += [(n, f"GOTO to an unknown label {label}") for n, label in jumps if label not in labels]
    return found


def main(paths):
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, reason in problems(file.read()):
                print(f"{path}:{number}: {reason}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
