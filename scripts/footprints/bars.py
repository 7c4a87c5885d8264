"""What the agent may cost (--require)."""
import subprocess

MIB = 1024
# A static build as it is shipped. One that loads Swift's libraries has all of them in memory.
RSS_KIB = {"static": 24 * MIB, "dynamic": 34 * MIB}
BINARY_BYTES = 16_000_000
THREADS, DESCRIPTORS, READY_S = 8, 32, 1.0


def is_static(program):
    """Whether Swift's runtime is in the program itself."""
    run = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    return "libswiftCore" not in run.stdout


def broken(result, kind, is_shared):
    """Each bar that does not hold, in words. On a machine that is shared with other checks the start
    is judged by its processor time."""
    found = []

    def hold(name, value, limit):
        if value > limit:
            found.append(f"{name}: {value}, at most {limit}")

    start = "ready_cpu_s" if is_shared else "ready_s"
    hold(start, result[start], READY_S)
    for moment in ("after_events", "at_1_hz", "everything_on"):
        if moment in result:
            if moment != "everything_on":
                hold(f"{moment}: resident KiB ({kind})", result[moment]["rss_kib"], RSS_KIB[kind])
            hold(f"{moment}: threads", result[moment]["threads"], THREADS)
            hold(f"{moment}: descriptors", result[moment]["descriptors"], DESCRIPTORS)
    if kind == "static":
        hold("bytes of the stripped program", result["binary_bytes"], BINARY_BYTES)
    return found
