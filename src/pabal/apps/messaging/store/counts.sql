-- name: add_count(name, label, n, now)!
insert into pabal.message_count (hour, name, label, count) values (date_trunc('hour', :now::timestamptz, 'UTC'), :name, :label, :n)
on conflict (hour, name, label) do update set count = pabal.message_count.count + excluded.count;

-- name: list_uses(keys, maxima, spans, weights, now)
-- What counts in each window, and when it has room again: newest first, the running sum tells which start must have left before.
select coalesce(max(s.taken), 0)::int as used, max(s.at + g.span) filter (where s.taken + greatest(g.weight, 1) > g.maximum) as free_at
from unnest(:keys::text[], :maxima::int[], :spans::interval[], :weights::int[]) with ordinality as g(key, maximum, span, weight, n)
left join lateral (
  select s.at, sum(case when g.weight = 0 then 1 else s.weight end) over (order by s.at desc, s.id desc) as taken from pabal.started s
  where s.limit_key = g.key and s.at > :now::timestamptz - g.span) s on true
group by g.n order by g.n;
