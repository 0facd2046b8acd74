"""A stand-in for After Effects' aerender: prints what nexrender reads, and writes an H.264 video of ten seconds.

It knows no composition whose name begins with "Missing", fails after half of one that begins with "Broken", and
renders no further than half while a file named `hold` lies beside it.
"""

import sys
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import av

RATE = 25
SECONDS = 10
WIDTH, HEIGHT = 640, 360


def main(arguments: list[str]) -> int:
    given = dict(pairwise(arguments))
    if given["-comp"].startswith("Missing"):
        say("aerender ERROR: No comp was found with the given name.")
        return 1
    if not Path(given["-project"]).is_file():
        say(f"aerender ERROR: no project {given['-project']}")
        return 1
    say("PROGRESS:  Start: 0:00:00:00")
    say("PROGRESS:  Duration: 0:00:10:00")
    for second in range(SECONDS + 1):
        tell_progress(second)
        while second == SECONDS // 2 and is_held():
            tell_progress(second)
        if second > SECONDS // 2 and given["-comp"].startswith("Broken"):
            say("aerender ERROR: the disk is full")
            return 1
    write(Path(given["-output"]))
    say("PROGRESS:  Finished")
    return 0


def is_held() -> bool:
    return (Path(sys.argv[0]).parent / "hold").exists()


def tell_progress(second: int) -> None:
    say(f"PROGRESS:  0:00:{second:02}:00 ({second * RATE + 1}): 0 Seconds")


def say(line: str) -> None:
    print(line, flush=True)
    # nexrender reads one progress of each piece of output it gets, and its pattern forgets every second one
    time.sleep(0.01)


def write(path: Path) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(SECONDS * RATE):
            container.mux(stream.encode(draw(number)))
        container.mux(stream.encode())


def draw(number: int) -> av.VideoFrame:
    """A line of noise below, which no codec makes small."""
    frame = av.VideoFrame(WIDTH, HEIGHT, "yuv420p")
    light, blue, red = frame.planes
    noise = Random(number).randbytes(light.line_size * 16)
    light.update(bytes([64 + number % 128]) * (light.buffer_size - len(noise)) + noise)
    blue.update(bytes([110]) * blue.buffer_size)
    red.update(bytes([140]) * red.buffer_size)
    frame.pts, frame.time_base = number, Fraction(1, RATE)
    return frame


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
