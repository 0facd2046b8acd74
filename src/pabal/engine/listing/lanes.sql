-- name: list_lanes(after, limit_rows)
-- Those that have a width of their own, and those of such a name that somebody holds, by name.
with own as (select v.name from pabal.lane_width v where v.name > :after order by v.name limit :limit_rows),
held as (
  select l.lane as name from pabal.lane l
  where l.lane > :after and exists (select from pabal.lane_width v where v.name = split_part(l.lane, ':', 1)) order by l.lane limit :limit_rows)
select name from (select name from own union select name from held) n order by name limit :limit_rows;

-- name: show_lanes(names)
select g.name, v.declared, v.chosen, coalesce(v.width, f.width) as width, coalesce(l.holders, '{}') as holders,
  (select count(*) from pabal.lease e where e.id = any(l.holders))::int as running,
  (select count(*) from (select from pabal.waiting w where w.lane = g.name limit 10001) c)::int as waiting
from unnest(:names::text[]) with ordinality as g(name, n)
join pabal.lane_width f on f.name = split_part(g.name, ':', 1)
left join pabal.lane_width v on v.name = g.name left join pabal.lane l on l.lane = g.name
order by g.n;
