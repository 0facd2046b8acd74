"""What only a short run of everything together sees."""

from chaos.sabotage.mutant import seen_by_run

IN_A_RUN = (
    seen_by_run(
        "keys are ignored",
        "queue.py",
        "    if any(job.key is not None for job in jobs):\n",
        "    if not jobs:\n",
        "keys",
    ),
    seen_by_run(
        "cancels are not delivered",
        "life.py",
        "        if signals:\n            self.on_signals(signals)\n",
        "",
        "told",
    ),
    seen_by_run(
        "a lane is freed when its holder is claimed",
        "exchange.py",
        "        claimed = await claims.claim(tx, worker, wanted, total=total)\n",
        "        claimed = await claims.claim(tx, worker, wanted, total=total)\n"
        "        held = [(job.lane, job.id) for job, _, _ in claimed if job.lane is not None]\n"
        "        await claims.lanes.release_lanes(tx, held)\n",
        "I7",
    ),
    seen_by_run(
        "a shared lane has a holder too many",
        "lanes.sql",
        "coalesce(v.width, 1) - cardinality(l.holders) as room",
        "coalesce(v.width + 1, 1) - cardinality(l.holders) as room",
        "I27",
    ),
    seen_by_run(
        "checkpoints are dropped",
        "claims.py",
        "        job = Job(*values)\n        job.ready_at,",
        "        job = Job(*values)\n        job.reported = None\n        job.ready_at,",
        "I26",
    ),
    seen_by_run(
        "a replaced run goes on",
        "withdrawals.py",
        '        for reason in sorted({row["reason"] for row in rows}):\n',
        "        for reason in ():\n",
        "I12",
    ),
)
