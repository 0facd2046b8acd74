-- name: open_keys(keys)!
insert into pabal.limit_key (key) select key from unnest(:keys::text[]) as g(key) order by key on conflict do nothing;

-- name: lock_keys(keys)
select key, promised from pabal.limit_key where key = any(:keys::text[]) order by key for update;

-- name: read_moment()
-- after the locks: the transaction's own moment let six starts into a window of five
select pabal.moment();

-- name: find_first_allowed(keys, maxima, spans, weights, moment)
-- Newest first, the running sum tells which start must have left the window before this one fits.
select g.n::int, (
  select s.at + g.span from (
    select at, sum(case when g.weight = 0 then 1 else s.weight end) over (order by at desc, id desc) as taken from pabal.started s
    where s.limit_key = g.key and s.at > :moment::timestamptz - g.span) s
  where s.taken + greatest(g.weight, 1) > g.maximum order by s.at desc limit 1) as allowed_at
from unnest(:keys::text[], :maxima::int[], :spans::interval[], :weights::int[]) with ordinality as g(key, maximum, span, weight, n);

-- name: insert_starts(keys, weights, moment, id)!
insert into pabal.started (limit_key, at, weight, id)
select key, :moment::timestamptz, weight, :id from unnest(:keys::text[], :weights::smallint[]) as g(key, weight);

-- name: promise(keys, until)!
update pabal.limit_key set promised = greatest(promised, :until::timestamptz) where key = any(:keys::text[]);

-- name: sum_windows(keys, spans)
select g.n::int, coalesce(sum(s.weight), 0)::int as weight, count(s.at)::int as starts, min(s.at) as oldest
from unnest(:keys::text[], :spans::interval[]) with ordinality as g(key, span, n)
left join pabal.started s on s.limit_key = g.key and s.at > pabal.now() - g.span
group by g.n order by g.n;
