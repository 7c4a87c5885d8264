"""One serial line for several readers: what a port sends goes to pseudo-terminals of its own."""
import os
import select
import threading
import tty


class LineSplit:
    """Reads a serial port and writes the same bytes to one pseudo-terminal for each name.

    What readers write (gpsd asks receivers who they are) is taken and forgotten, as a receiver that
    does not understand it would.
    """

    def __init__(self, port, folder, names):
        self.source = os.open(port, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.source)
        self.ends, self.lines, self.paths = [], [], {}
        for name in names:
            controller, line = os.openpty()
            tty.setraw(line)
            os.set_blocking(controller, False)
            self.ends.append(controller)
            self.lines.append(line)
            self.paths[name] = folder / name
            self.paths[name].symlink_to(os.ttyname(line))
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.is_set():
            ready, _, _ = select.select([self.source, *self.ends], [], [], 0.2)
            for end in ready:
                try:
                    data = os.read(end, 4096)
                except OSError:
                    data = b""
                if end == self.source and data:
                    self.copy(data)
                elif end == self.source:
                    return

    def copy(self, data):
        for end in self.ends:
            try:
                os.write(end, data)
            except BlockingIOError:
                pass  # Nobody reads there, and the line is full: bytes are lost, as on a wire.

    def close(self):
        self.ended.set()
        self.thread.join(2)
        for descriptor in (self.source, *self.ends, *self.lines):
            os.close(descriptor)
