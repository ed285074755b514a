"""When a worker process counts as hung, by a clock that stands still between two looks."""

from hoppers.jobs.pulse import WATCH, Pulse
from hoppers.runtime.process_work import Work

IDLE, STARVED = Work(100, False), Work(100, True)


def hung_after(works: list[Work | None], pulse: Pulse | None = None) -> float | None:
    """Return after how many seconds a process without messages counts as hung; None if it never does."""
    pulse = pulse or Pulse(0.0)
    for number, work in enumerate(works, 1):
        now = number * WATCH.look
        if pulse.is_overdue(now):
            pulse.look(work, now)
        if pulse.is_hung(now):
            return now
    return None


def test_a_process_at_rest_is_noticed_within_five_seconds() -> None:
    found = hung_after([IDLE] * 100)
    assert found is not None and found + WATCH.look < 5


def test_a_process_that_works_or_is_starved_is_not_hung() -> None:
    assert hung_after([Work(number, False) for number in range(500)]) is None
    assert hung_after([STARVED] * 500) is None


def test_rest_counts_from_the_last_sign_of_work() -> None:
    found = hung_after([*[STARVED] * 20, *[IDLE] * 100])
    assert found == 21 * WATCH.look + WATCH.hung
    assert hung_after([*[STARVED, IDLE, IDLE] * 50]) is None


def test_a_message_ends_the_rest() -> None:
    pulse = Pulse(0.0)
    assert hung_after([IDLE] * 100, pulse) is not None
    assert pulse.is_silent(50.0)
    pulse.beat(50.0)
    assert not (pulse.is_overdue(50.5) or pulse.is_silent(50.5) or pulse.is_hung(50.5))
    pulse.look(IDLE, 60.0)  # as after a stop of the server itself
    assert not pulse.is_hung(60.0 + WATCH.hung / 2)


def test_without_figures_of_work_a_process_has_more_time() -> None:
    assert hung_after([None] * 1_000) == WATCH.hung_unseen
