"""A normal client of a server under attack: normal_client.py PORT KEY, until standard input ends.

Asks for the nearest fences ten times a second, each time on a new connection, and prints how long it
waited, and when the last answer came. Beside it a thread sleeps, to tell what the machine itself holds up.
"""

import http.client
import json
import sys
import threading
import time


def sleeper(over, stalls):
    while not over.is_set():
        begun = time.monotonic()
        time.sleep(0.01)
        stalls.append(time.monotonic() - begun - 0.01)


def client(port, key, over, waits, answered, failures):
    due = time.monotonic()
    while not over.is_set():
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request(
                "POST", "/v1/fences/nearest", '{"lat": 52, "lon": 13}',
                {"Authorization": f"Bearer {key}", "X-Device-Id": "normal",
                 "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            if answer.status != 200:
                failures.append(f"status {answer.status}")
            else:
                answered.append(time.monotonic())
        except (OSError, http.client.HTTPException) as error:
            failures.append(repr(error))
        now = time.monotonic()
        waits.append(now - begun)
        due = max(due + 0.1, now)
        over.wait(due - now)


def main():
    over, waits, answered, stalls, failures = threading.Event(), [], [], [], []
    begun = time.monotonic()
    threads = [
        threading.Thread(target=sleeper, args=(over, stalls)),
        threading.Thread(
            target=client, args=(int(sys.argv[1]), sys.argv[2], over, waits, answered, failures))]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    seconds = time.monotonic() - begun
    over.set()
    for thread in threads:
        thread.join()
    print(json.dumps({
        "waits": waits, "stalls": stalls, "failures": failures, "seconds": seconds,
        "answered": [moment - begun for moment in answered]}))


main()
