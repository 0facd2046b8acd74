-- name: complete_groups()!
update example.ad_group set has_creatives = true;

-- name: list_lost()
select subject, data->>'host' as host from pabal.fact where name = 'server.lost' order by seq;

-- name: read_all_ends()
select count(*) from pabal.outcome where worker = 1;

-- name: fill#
insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at)
select n, 1, true, case when n % 20 = 0 then 'failed' else 'done' end, 1, pabal.now(), pabal.now() - (20000 - n) * interval '1 s'
from generate_series(1, 20000) n;
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select 'test.plain', n % 4, pabal.now() + n * interval '1 ms', n + 100000, 0, 0, 0, 0 from generate_series(1, 5000) n;
insert into pabal.series (measure, last_at, last_value) select 'm.' || n, pabal.now(), 1 from generate_series(1, 20) n;
insert into pabal.sample (series, at, value) select s, pabal.now() - n * interval '15 s', n from generate_series(1, 20) s, generate_series(1, 500) n;
insert into pabal.alert (rule, about, level, state, value, worst, threshold, since, fired_at, seen_at)
select 'r.' || n % 20, '', 'failure', 'resolved', 1, 1, 1, pabal.now(), pabal.now(), pabal.now() from generate_series(1, 5000) n;
analyze pabal.outcome, pabal.ready, pabal.series, pabal.sample, pabal.alert;
