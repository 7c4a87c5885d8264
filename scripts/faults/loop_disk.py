"""A small ext4 on a loop device, whose power can be cut."""
import fcntl
import os
import shutil
import struct
import subprocess

from programs import Failure

# _IOR('X', 125, __u32) and EXT4_GOING_FLAGS_NOLOGFLUSH of the kernel's fs/ext4/ext4.h: from now on
# nothing reaches the disk, the journal's running transaction included.
SHUTDOWN = 2 << 30 | 4 << 16 | ord("X") << 8 | 125
NO_LOG_FLUSH = 2


def run(*arguments, check=True):
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    done = subprocess.run([str(part) for part in arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PATH": path})
    if check and done.returncode:
        raise Failure(f"{' '.join(map(str, arguments))}: {done.stderr.strip() or done.returncode}")
    return done


class LoopDisk:
    def __init__(self, folder, name, mebibytes, *options):
        self.image, self.path = folder / f"{name}.img", folder / name
        self.path.mkdir(exist_ok=True)
        self.options = options
        self.mebibytes = mebibytes
        self.is_mounted = False
        self.device = None

    def make(self):
        """A new file system, mounted."""
        self.image.unlink(missing_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(self.mebibytes << 20)
        run("mkfs.ext4", "-q", "-F", "-m", "0", *self.options, self.image)
        self.mount()

    def mount(self):
        """Through a new device each time: where another mount namespace still has the old file system,
        the old device would give back what was shut down, not what is on the disk."""
        self.device = run("losetup", "--find", "--show", self.image).stdout.strip()
        run("mount", self.device, self.path)
        self.is_mounted = True
        # From here on the kernel lets go of the device with the last mount, whoever ends that.
        self.detach()

    def remount(self, *options):
        run("mount", "-o", ",".join(("remount", *options)), self.path)

    def cut(self):
        """The power goes: what is not on the disk now never will be."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)

    def unmount(self, *options):
        run("umount", *options, self.path)
        self.is_mounted = False
        self.detach()

    def replace(self):
        """What is on the disk goes to another one, which is checked as at a start and mounted in its place.

        The old one must be gone from the place; as long as somebody holds a file of it, it stays as it died.
        """
        other = self.image.with_name(f"next-{self.image.name}")
        shutil.copy(self.image, other)
        self.image = other
        done = run("e2fsck", "-p", self.image, check=False)
        if done.returncode > 1:
            raise Failure(f"e2fsck: {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}")
        self.mount()

    def detach(self):
        """At once, or when nobody has a file of it any more."""
        if self.device:
            run("losetup", "--detach", self.device, check=False)
            self.device = None

    def close(self):
        if self.is_mounted:
            run("umount", "-l", self.path, check=False)
            self.is_mounted = False
        self.detach()


def refusal(folder):
    """Why this machine cannot; None: it can."""
    if os.geteuid() != 0:
        return "not root"
    disk = LoopDisk(folder, "probe", 8)
    try:
        disk.make()
        disk.cut()
        return None
    except (Failure, OSError) as error:
        return str(error)
    finally:
        disk.close()
        disk.image.unlink(missing_ok=True)
        shutil.rmtree(disk.path, ignore_errors=True)
