-- name: fill_ready(kind, count)!
-- As enqueue writes them, set-based: what is measured is the claim.
with given as materialized (select pabal.new_id() as id, n from generate_series(1, :count::int) n),
body as (
  insert into pabal.work (id, kind, queue, priority, args, max_failures, max_recoveries, created_at)
  select id, :kind::text, :kind::text, 2, jsonb_build_object('text', repeat('x', 89)), 5, 3, pabal.now() from given)
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select :kind::text, 2, pabal.now() - interval '1 hour' + n * interval '1 millisecond', id, 0, 0, 0, 0 from given;

-- name: fill_delayed(kind, count)!
with given as materialized (select pabal.new_id() as id, n from generate_series(1, :count::int) n),
body as (
  insert into pabal.work (id, kind, queue, priority, args, max_failures, max_recoveries, created_at)
  select id, :kind::text, :kind::text, 2, jsonb_build_object('text', repeat('x', 89)), 5, 3, pabal.now() from given)
insert into pabal.delayed (due_at, id, reason, token, failures, recoveries, snoozes)
select pabal.now() + interval '1 day' + n * interval '1 millisecond', id, 'asked', 0, 0, 0, 0 from given;

-- name: prepare#
prepare bench_claim as bench_statement;

-- name: explain#
explain (analyze, buffers, format json) execute bench_claim(bench_values);

-- name: forget#
deallocate bench_claim;
