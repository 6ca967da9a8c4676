"""Prints how long it takes from the import to a heat map, and what a call from Python costs beyond the work.

Run by tools/check_python; by hand: python tests/python/bench_overhead.py
"""

import statistics
import subprocess
import sys
import time


def seconds_to_heat_map():
    program = ("import time; begin = time.perf_counter(); import texelscope; "
               "texelscope.Study('matmul', (64, 64, 64)).heat_map('A').counts; print(time.perf_counter() - begin)")
    return statistics.median(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
                             for _ in range(5))


def microseconds_beyond_the_work(calls=1000, rounds=21):
    import texelscope

    study = texelscope.Study("matmul", (4, 4, 4), device=texelscope.Device(set={"misses.kinds": "off", "cores": 1}))
    work, whole = [], []
    for _ in range(rounds):  # in turn, so that both see the same clock
        work.append(texelscope._texelscope._seconds_of_simulations(study, calls))
        begin = time.perf_counter()
        for _ in range(calls):
            study.simulate()
        whole.append(time.perf_counter() - begin)
    return 1e6 / calls * statistics.median(work), 1e6 / calls * statistics.median(w - v for w, v in zip(whole, work))


if __name__ == "__main__":
    print(f"from the import to a heat map: {seconds_to_heat_map():.2f} s")
    work, beyond = microseconds_beyond_the_work()
    print(f"a simulation of {work:.1f} us takes {beyond:.2f} us more from Python")
