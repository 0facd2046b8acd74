"""Work that begins in the commit that enqueues it, and what begins or moves in one statement."""

from chaos.sabotage.mutant import seen_by_test

HEAD_STARTS = (
    seen_by_test(
        "a head start is taken whether or not the server drains",
        "headstart.sql",
        "and drain_at is null for key share",
        "for key share",
        "test_headstart.py::test_nor_does_a_draining_server_take_it_also_before_it_has_heard",
    ),
    seen_by_test(
        "a life is not held while something begins in its name",
        "headstart.sql",
        " for key share skip locked",
        "",
        "test_headstart.py::test_a_rescue_passes_over_a_life_that_is_just_beginning_something",
    ),
    seen_by_test(
        "what has a head start takes no slot",
        "runner.py",
        "        if len(self._running) - self._routed_running + self._reserved >= self._plain.size:\n"
        "            return False\n",
        "",
        "test_headstart.py::test_a_server_without_a_free_slot_only_enqueues_it",
    ),
    seen_by_test(
        "a life that lapsed performs what it began",
        "headstart.py",
        "            if self._worker == runner.life.worker:\n                runner.run_begun(job)\n",
        "            runner.run_begun(job)\n",
        "test_headstart.py::test_a_life_that_lapsed_before_the_commit_performs_nothing",
    ),
    seen_by_test(
        "a commit of which nobody heard is not looked for",
        "headstart.py",
        "            runner.release(job)\n            runner.reconcile_soon()\n",
        "            runner.release(job)\n",
        "test_headstart.py::test_a_commit_of_which_nobody_heard_is_handed_back_and_tried_again",
    ),
    seen_by_test(
        "what is being committed is taken for lost",
        "runner.py",
        "        self._beginning.add(job.key)\n",
        "        return\n",
        "test_headstart.py::test_nothing_is_handed_back_that_is_still_being_committed",
    ),
)

_HEAD, _BEGINNING = "test_headstart.py", "test_beginning.py"
_BEGUN = f"{_BEGINNING}::test_one_that_begins_in_a_statement_of_its_own_is_like_any_other_and_wakes_whom_it_must"
_PICKED = f"{_BEGINNING}::test_what_is_picked_and_moved_in_one_statement_is_as_if_it_were_three"
_REFUSED = f"{_BEGINNING}::test_what_needs_more_than_one_statement_is_not_done_in_one"
_PREPARED = f"{_HEAD}::test_one_that_its_asker_prepared_begins_with_what_the_asker_writes"

AT_ONCE = (
    seen_by_test(
        "what begins at once wakes nobody who reads facts",
        "transitions.py",
        "lambda row: {**_woken(machine), **hint(row)}",
        "lambda row: dict(hint(row))",
        _BEGUN,
    ),
    seen_by_test(
        "what begins at once wakes nobody whom its asker names",
        "transitions.py",
        "lambda row: {**_woken(machine), **hint(row)}",
        "lambda row: _woken(machine)",
        _BEGUN,
    ),
    seen_by_test(
        "what begins at once has no history",
        "transitions.sql",
        "  from begun b),\n",
        "  from begun b where false),\n",
        _BEGUN,
    ),
    seen_by_test(
        "what begins at once is no fact",
        "transitions.sql",
        "  from begun b)\nselect",
        "  from begun b where false)\nselect",
        _BEGUN,
    ),
    seen_by_test(
        "timers and effects are left out of what is done at once",
        "transitions.py",
        "    if machine.timers or machine.effects:\n        raise TypeError",
        "    if not machine.name:\n        raise TypeError",
        _REFUSED,
    ),
    seen_by_test(
        "a guard is not asked for a move at once",
        "transitions.py",
        "found is None or found.guard is not None or found.target != target",
        "found is None or found.target != target",
        _REFUSED,
    ),
    seen_by_test(
        "a move at once takes what stands in another state",
        "transitions.sql",
        "from picked p where s.id = p.id and (s.state = :source::text) is true\n",
        "from picked p where s.id = p.id and :source::text is not null\n",
        _PICKED,
    ),
    seen_by_test(
        "a move at once is no new version",
        "transitions.sql",
        "version = s.version + 1, subject_own\n  from picked",
        "version = s.version, subject_own\n  from picked",
        _PICKED,
    ),
    seen_by_test(
        "a move at once tells of no version",
        "transitions.sql",
        " || jsonb_build_object('version', m.moved_version)",
        "",
        _PICKED,
    ),
    seen_by_test(
        "a move at once wakes nobody",
        "transitions.py",
        "lambda _: _woken(machine)",
        "lambda _: {}",
        _PICKED,
    ),
    seen_by_test(
        "what its asker prepared is prepared again",
        "headstart.py",
        "given.value if given is not None else await",
        "await",
        _PREPARED,
    ),
    seen_by_test(
        "what the asker of a prepared job writes is left out",
        "headstart.py",
        'replace(along, text=f",\\n{along.text}")',
        'replace(along, text=f",\\n{along.text}".replace(" from body", " from body where false"))',
        _PREPARED,
    ),
    seen_by_test(
        "a prepared job that cannot begin is enqueued without its asker's part",
        "headstart.py",
        "return None if begun is None else Enqueued",
        "return await queue.enqueue(tx, job) if begun is None else Enqueued",
        f"{_HEAD}::test_where_it_cannot_begin_nothing_of_that_is_written",
    ),
    seen_by_test(
        "what is for later begins now",
        "headstart.py",
        " or job.delay or job.run_at or job.expires_at)",
        ")",
        f"{_HEAD}::test_what_needs_more_than_room_is_enqueued_as_ever",
    ),
    seen_by_test(
        "a slot stays taken by what could not begin",
        "headstart.py",
        "        except BaseException:\n            runner.release()\n",
        "        except BaseException:\n",
        f"{_HEAD}::test_a_prepare_that_raises_undoes_everything_and_says_so",
    ),
)
