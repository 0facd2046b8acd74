-- name: open_keys(keys)
-- Those that were met for the first time are ours; those that are there are locked. One that another is opening right now is in neither.
with met as (
  insert into pabal.limit_key (key) select key from unnest(:keys::text[]) as g(key) order by key on conflict do nothing returning key),
known as materialized (select key, promised from pabal.limit_key where key = any(:keys::text[]) order by key for update)
select key, promised from known union all select key, null from met;

-- name: lock_keys(keys)
select key, promised from pabal.limit_key where key = any(:keys::text[]) order by key for update;

-- name: find_first_allowed(keys, maxima, spans, weights)
-- Newest first, the running sum tells which start must have left the window before this one fits.
-- The moment after the locks: the transaction's own let six starts into a window of five.
with present as materialized (select pabal.moment() as moment)
select g.n::int, p.moment, (
  select s.at + g.span from (
    select at, sum(case when g.weight = 0 then 1 else s.weight end) over (order by at desc, id desc) as taken from pabal.started s
    where s.limit_key = g.key and s.at > p.moment - g.span) s
  where s.taken + greatest(g.weight, 1) > g.maximum order by s.at desc limit 1) as allowed_at
from present p cross join unnest(:keys::text[], :maxima::int[], :spans::interval[], :weights::int[]) with ordinality as g(key, maximum, span, weight, n);

-- name: insert_starts(keys, weights, ids, moment)!
insert into pabal.started (limit_key, at, weight, id)
select key, :moment::timestamptz, weight, id from unnest(:keys::text[], :weights::smallint[], :ids::bigint[]) as g(key, weight, id);

-- name: promise(keys, untils)!
update pabal.limit_key k set promised = greatest(k.promised, f.until)
from (
  select k.place, g.until from unnest(:keys::text[], :untils::timestamptz[]) as g(key, until) cross join lateral (
    select k.ctid as place from pabal.limit_key k where k.key = g.key offset 0) k) f
where k.ctid = f.place;

-- name: sum_windows(keys, spans)
select g.n::int, coalesce(sum(s.weight), 0)::int as weight, count(s.at)::int as starts, min(s.at) as oldest
from unnest(:keys::text[], :spans::interval[]) with ordinality as g(key, span, n)
left join pabal.started s on s.limit_key = g.key and s.at > pabal.now() - g.span
group by g.n order by g.n;
