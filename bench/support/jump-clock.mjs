// The machine's clock with one lever: `jump` moves it forward and rings every timer that has come due
// by it. Lets thousands of sleeps come due in one instant, without waiting for them.

export function jumpClock() {
  let offsetMs = 0;
  const timers = new Set();
  const arm = (timer) => {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(() => {
      timers.delete(timer);
      timer.run();
    }, timer.dueAt - clock.monotonic());
  };
  const clock = {
    now: () => Date.now() + offsetMs,
    monotonic: () => performance.now() + offsetMs,
    setTimer(delayMs, run) {
      const timer = { dueAt: clock.monotonic() + Math.max(delayMs, 0), run, handle: undefined };
      timers.add(timer);
      arm(timer);
      return {
        cancel() {
          clearTimeout(timer.handle);
          timers.delete(timer);
        },
      };
    },
    jump(byMs) {
      offsetMs += byMs;
      for (const timer of timers) arm(timer);
    },
  };
  return clock;
}
