"""Holds a running geofence-server to docs/openapi.yaml with schemathesis: all checks, every operation.

Starts the program on a new database, lets schemathesis make requests of every kind that the document
allows and of many that it does not, and fails where an answer is not what the document says, or where
an operation never got to say yes.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=ROOT / ".build/debug", type=pathlib.Path,
                        help="folder of the built programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=15,
                        help="requests of the fuzzing phase for each operation")
    parser.add_argument("--limit", type=int, default=420, help="seconds for everything")
    parser.add_argument("--only", help="one operationId")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        sys.exit(run(arguments, pathlib.Path(folder)))


def run(arguments, folder):
    server = arguments.bin / "geofence-server"
    database = str(folder / "server.db")
    made = json.loads(subprocess.run(
        [server, "init", "--database", database, "--workspace", "contract", "--json"],
        check=True, capture_output=True, text=True).stdout)
    subprocess.run(
        [server, "limits", "--database", database, "--fences", "1000000", "--keys", "1000000"],
        check=True, capture_output=True)
    # Hundreds of wrong keys from one address would wait for most of the time.
    config = folder / "server.yaml"
    config.write_text("limits:\n  refusal_delay_s: 0\n")
    log = open(folder / "server.log", "w+")
    process = subprocess.Popen(
        [server, "serve", "--database", database, "--listen", "127.0.0.1:0",
         "--config", config], stderr=log)
    try:
        url = address(folder / "server.log", process)
        status = check(arguments, folder, url, made)
        if process.poll() is not None:
            print(f"contract: the server ended with {process.returncode}")
            status = 1
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
    return coverage(folder / "answers", arguments.only) or status


def address(path, process):
    """Where the server says that it listens."""
    for _ in range(200):
        for line in path.read_text().splitlines():
            if "listening on " in line:
                return line.split("listening on ")[1].strip()
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit("contract: the server does not start:\n" + path.read_text())


def codes(url, made):
    """Single-use codes for as many requests as may be meant to be right."""
    result = []
    for _ in range(400):
        request = urllib.request.Request(
            f"{url}/v1/admin/provision-codes", data=b"{}", headers={
                "Authorization": f"Bearer {made['admin_key']}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            result.append(json.load(answer)["code"])
    return " ".join(result)


def check(arguments, folder, url, made):
    config = folder / "schemathesis.toml"
    config.write_text(f"""
seed = {arguments.seed}

[auth.openapi.deviceKey]
bearer = "{made['device_key']}"

[auth.openapi.adminKey]
bearer = "{made['admin_key']}"

[generation]
database = "none"

[checks]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "413", "415", "422"]
""")
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", config, "run",
        ROOT / "docs/openapi.yaml", "--url", url, "--checks", "all", "--mode", "all",
        "--max-examples", str(arguments.examples), "--continue-on-failure", "--workers", "1",
        "--output-truncate", "false",
    ]
    if arguments.only:
        command += ["--include-operation-id", arguments.only]
    environment = dict(os.environ, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=str(HERE),
                       CONTRACT_ANSWERS=str(folder / "answers"), CONTRACT_CODES=codes(url, made))
    try:
        return subprocess.run(
            [str(part) for part in command], env=environment, cwd=folder,
            timeout=arguments.limit).returncode
    except subprocess.TimeoutExpired:
        print(f"contract: not done within {arguments.limit} s")
        return 1


def coverage(path, only):
    """Whether every operation of the document said yes at least once; tells the answers."""
    document = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())
    answers = {}
    for line in path.read_text().splitlines():
        operation, status = line.rsplit(" ", 1)
        answers.setdefault(operation, {}).setdefault(status, 0)
        answers[operation][status] += 1
    missing = 0
    for url, methods in document["paths"].items():
        for method in methods:
            if method not in ("get", "put", "post", "delete", "patch"):
                continue
            if only and methods[method]["operationId"] != only:
                continue
            operation = f"{method.upper()} {url}"
            seen = answers.get(operation, {})
            agreed = any(status.startswith("2") for status in seen)
            # Where there is an entity tag, one that matches was sent as well.
            if "304" in methods[method]["responses"]:
                agreed = agreed and "304" in seen
            missing += not agreed
            told = " ".join(f"{status}x{count}" for status, count in sorted(seen.items()))
            print(f"{'ok ' if agreed else 'NOT'} {operation}: {told}")
    print(f"contract: {missing} operations never said yes" if missing
          else "contract: every operation said yes")
    return 1 if missing else 0


main()
