"""What is claimed in the commit that ends the job before it in its lane."""

from chaos.sabotage.mutant import seen_by_test

_TEST = "test_following.py::"
FOLLOWING = (
    seen_by_test(
        "a life that is being buried claims what its ends let go",
        "workers.sql",
        " for key share skip locked",
        "",
        f"{_TEST}test_a_life_that_is_being_buried_ends_its_job_and_claims_nothing",
    ),
    seen_by_test(
        "a life that lapsed claims what its ends let go",
        "workers.sql",
        "until > pabal.real_now() for key share skip locked",
        "true for key share skip locked",
        f"{_TEST}test_a_life_that_lapsed_claims_nothing",
    ),
    seen_by_test(
        "what cannot be claimed spoils the end before it",
        "steps.py",
        "        raise NothingClaimed from error\n",
        "        raise\n",
        f"{_TEST}test_one_that_cannot_be_claimed_spoils_no_end",
    ),
    seen_by_test(
        "what follows is not noted before its commit",
        "exchange.py",
        "        self._noted.update(job.key for job in self.jobs)\n",
        "",
        f"{_TEST}test_its_lease_is_noted_before_the_commit",
    ),
    seen_by_test(
        "who follows passes over more urgent work of other routes",
        "exchange.py",
        "self._beside(self._dirty_routes.union(names)), set()",
        "self._beside(set(names)), set()",
        f"{_TEST}test_what_is_more_urgent_on_another_route_takes_the_place",
    ),
    seen_by_test(
        "an exchange looks at no routes of who follows",
        "exchange.py",
        "        self._looking.append(routes)\n",
        "        self._looking.append(following.routes)\n        following.routes = set()\n",
        f"{_TEST}test_an_exchange_beside_looks_at_its_routes_too",
    ),
    seen_by_test(
        "what was undone is looked for by nobody",
        "exchange.py",
        "            self._dirty_routes |= following.routes\n",
        "",
        f"{_TEST}test_what_was_undone_is_looked_for_again",
    ),
    seen_by_test(
        "a server that stops goes on with the next",
        "runner.py",
        "if not routed or worker == 0 or self._is_stopping or self._life.is_draining:",
        "if not routed or worker == 0 or self._life.is_draining:",
        f"{_TEST}test_a_server_that_stops_claims_nothing_more",
    ),
    seen_by_test(
        "what is known is asked before leases are read",
        "claims.py",
        "    rows = await tx.rows(SQL.list_leases, worker=worker)\n    known = list_known()\n",
        "    known = list_known()\n    rows = await tx.rows(SQL.list_leases, worker=worker)\n",
        f"{_TEST}test_what_is_committed_while_leases_are_read_is_not_taken_for_lost",
    ),
)
