"""A copy of the tree in which defects are planted, built and tested."""
import contextlib
import filecmp
import os
import pathlib
import shutil
import signal
import subprocess

# A defect may make a test wait for what never comes.
TEST_SECONDS = 900
BUILD_SECONDS = 3600
# The exit status of what did not end in time.
TOO_LONG = 124
MANIFEST = "Package.swift"
# What SwiftPM makes of all tests.
TESTS = "geofencedPackageTests"


class CopiedTree:
    def __init__(self, source):
        self.path = source / ".build" / "mutations"
        names = subprocess.run(
            ["git", "ls-files", "-coz", "--exclude-standard"], cwd=source, check=True,
            capture_output=True, text=True).stdout.split("\0")
        wanted = {name for name in names if name and (source / name).is_file()}
        for name in wanted:
            copy(source / name, self.path / name)
        self._forget_others(wanted)
        self._manifest = (source / MANIFEST).read_text()

    def _forget_others(self, wanted):
        for folder, below, files in os.walk(self.path):
            if pathlib.Path(folder) == self.path:
                below[:] = [name for name in below if name != ".build"]
            for name in files:
                path = pathlib.Path(folder) / name
                if str(path.relative_to(self.path)) not in wanted:
                    path.unlink()

    def test(self, target, pattern):
        """Exit status and output of the tests of one target that match."""
        self._keep_tests(target)
        build = self._run(["swift", "build", "--product", TESTS], BUILD_SECONDS)
        if build[0] != 0:
            return build
        return self._run(
            ["swift", "test", "--skip-build", "--no-parallel", "--filter", pattern], TEST_SECONDS)

    def _keep_tests(self, target):
        """Only one target of tests: what it does not need is not built anew for each defect."""
        text = self._manifest + (
            "\npackage.targets.removeAll {"
            f' $0.type == .test && $0.name != "{target}" }}\n')
        manifest = self.path / MANIFEST
        if manifest.read_text() != text:
            manifest.write_text(text)

    def _run(self, command, seconds):
        # A session of its own: what the tests have started ends with them.
        child = subprocess.Popen(
            command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True)
        try:
            output, _ = child.communicate(timeout=seconds)
            return child.returncode, output
        except subprocess.TimeoutExpired:
            return TOO_LONG, ""
        finally:
            # Also when somebody interrupts this program.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    @contextlib.contextmanager
    def planted(self, defect):
        """With the defect in its place; gives why it cannot be planted, or None."""
        if problem := misfit(defect, self.path):
            yield problem
            return
        path = self.path / defect.file
        original = path.read_text()
        try:
            path.write_text(original.replace(defect.old, defect.new))
            yield None
        finally:
            path.write_text(original)


def misfit(defect, folder):
    """Why a defect cannot be planted in the tree in `folder`; None: it can."""
    found = (folder / defect.file).read_text().count(defect.old)
    return None if found == 1 else f"{defect.number}: {defect.file} has its place {found} times"


def copy(source, target):
    """Only what differs, so that what is built stays valid."""
    if target.is_file() and filecmp.cmp(source, target, shallow=False):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
