"""Long calls let other threads go on, tell how far they are, and stop on Ctrl-C."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import texelscope as ts


def test_other_threads_run_meanwhile():
    ticks, done = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    study = ts.Study("matmul", (512, 512, 512), device=ts.Device(set={"jump": "off"}))
    thread.start()
    try:
        before = ticks
        study.simulate(timed=True)
        assert ticks - before > 5
    finally:
        done.set()
        thread.join()


def test_several_threads_ask_one_study():
    study = ts.Study("matmul", (64, 64, 64))
    answers = []
    threads = [threading.Thread(target=lambda: answers.append((study.predict().ns, study.simulate().l1.misses))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1 and len(answers) == 4


def test_progress_is_told():
    told = []
    ts.Study("matmul", (64, 64, 64)).tune(budget=8, progress=lambda stage, fraction: told.append((stage, fraction)))
    assert all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in told)
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions) and told[-1] == ("done", 1.0)


def test_a_callers_progress_stays_open():
    class Told:
        closed = False

        def __call__(self, stage, fraction):
            assert not self.closed

        def close(self):
            self.closed = True

    told, study = Told(), ts.Study("matmul", (16, 16, 16))
    study.tune(budget=2, progress=told)
    study.tune(budget=2, progress=told)
    assert not told.closed


def test_a_stream_that_is_closed_does_not_end_the_work(monkeypatch):
    from texelscope import _progress

    bar = _progress.Bar()
    for stream in (None, type("Closed", (), {"write": lambda self, text: open("/dev/null").write(text), "flush": lambda self: None})()):
        monkeypatch.setattr(sys, "stderr", stream)
        bar("ranking", 0.5)
        bar.close()
        assert stream is not None or _progress.bar() is None


def test_a_signal_handler_may_ask_the_study_that_is_asked():
    program = textwrap.dedent("""
        import signal
        import texelscope as ts
        study, answers = ts.Study("matmul", (64, 64, 64)), []
        signal.signal(signal.SIGALRM, lambda *_: answers.append(study.predict().ns))
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        answers.append(study.predict().ns)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(len(set(answers)))
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "1\n"


def test_what_progress_raises_ends_the_call():
    def refuse(stage, fraction):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ts.Study("matmul", (64, 64, 64)).tune(budget=8, progress=refuse)


@pytest.mark.parametrize("call", [
    "ts.Study('matmul', (1024, 1024, 1024), device=ts.Device(set={'jump': 'off'})).simulate(timed=True)",
    "ts.Study('matmul', (512, 512, 512)).tune('simulate', progress=False)",
    "ts.identify_device('adreno-740', walks=4000, progress=False)",
    "ts.Network('resnet-101').plan(progress=False)",
])
def test_ctrl_c_ends_the_call(call):
    program = textwrap.dedent(f"""
        import time
        import texelscope as ts
        print("ready", flush=True)
        try:
            {call}
            print("done")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    # A test that runs in the background may ignore the signal, and hands that down.
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert running.stdout.readline() == "ready\n"
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    try:
        printed, _ = running.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        running.kill()
        raise
    assert printed == "interrupted\n" and running.returncode == 0


def test_a_bar_is_drawn_where_somebody_looks(monkeypatch, capsys):
    from texelscope import _progress

    bar = _progress.Bar()
    bar("ranking", 0.5)
    bar("done", 1)
    bar.close()
    assert capsys.readouterr().err == "\r[###############...............]  50% ranking" \
                                      "\r[##############################] 100% done   \r" + " " * 42 + "\r"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert _progress.bar() is None or "ipykernel" in sys.modules
