-- name: write(ids, tokens, worker, progress, checkpoints, percents)
-- Only what the attempt's token still holds. Locked in the order of ids, as pabal.hold does: handlers mark what they did while their
-- reports are written. What is not given stays as it was.
with held as materialized (
  select g.* from (
    select * from unnest(:ids::bigint[], :tokens::bigint[], :progress::jsonb[], :checkpoints::jsonb[], :percents::real[])
      as g(id, token, progress, checkpoint, percent) order by g.id) g
  cross join lateral (
    select l.id from pabal.lease l where l.id = g.id and l.token = g.token and (:worker::bigint is null or l.worker = :worker)
      and (l.route_epoch is null or exists (select from pabal.route r where r.route = l.queue and r.epoch = l.route_epoch))
    offset 0 for update) l)
insert into pabal.report as r (id, token, at, progress, checkpoint, percent, since, since_percent)
select id, token, pabal.now(), progress, checkpoint, percent, case when percent is not null then pabal.now() end, percent from held
on conflict (id) do update set
  token = excluded.token, at = excluded.at,
  progress = coalesce(excluded.progress, r.progress), checkpoint = coalesce(excluded.checkpoint, r.checkpoint),
  percent = case when r.token = excluded.token then coalesce(excluded.percent, r.percent) else excluded.percent end,
  since = case when r.token = excluded.token and r.since is not null then r.since else excluded.since end,
  since_percent = case when r.token = excluded.token and r.since is not null then r.since_percent else excluded.since_percent end
returning id, token;

-- name: forget(ids)!
delete from pabal.report where id = any(:ids::bigint[]);

-- name: forget_orphans()!
-- of jobs that a server of the version before ended
delete from pabal.report where id in (select r.id from pabal.report r where not pabal.is_open(r.id) limit 10000);

-- name: note_stops(ids, tokens, stops)!
-- An attempt that ignores what it was told loses its lease as one that ignores its deadline. Locked in the order of ids, as above.
with held as materialized (
  select g.id, g.stop from (
    select * from unnest(:ids::bigint[], :tokens::bigint[], :stops::text[]) as g(id, token, stop) order by g.id) g
  cross join lateral (
    select l.id from pabal.lease l where l.id = g.id and l.token = g.token offset 0 for update) l)
update pabal.lease l set stop = h.stop,
  deadline = case when h.stop in ('deadline', 'stall') then least(l.deadline, pabal.now()) else l.deadline end
from held h where l.id = any(:ids::bigint[]) and l.id = h.id;
