-- name: has_anything_to_check()
select exists (select from pabal.work) or exists (select from pabal.lane)
  or exists (select from pabal.fact where name = 'job.ended') as something;

-- name: find_wrong()
-- one statement for all, so that a test waits for one answer
with place (id, place) as (
  select id, 'waiting' from pabal.waiting union all select id, 'delayed' from pabal.delayed
  union all select id, 'ready' from pabal.ready union all select id, 'lease' from pabal.lease),
misplaced as (
  select w.id, w.kind, array_agg(p.place) as places, bool_or(o.final) as ended
  from pabal.work w left join place p using (id) left join pabal.outcome o on o.id = w.id and o.final
  group by w.id, w.kind
  having count(p.place) <> case when bool_or(o.final) then 0 else 1 end),
misheld as (
  select l.lane, h.id as holder, 'holder is nowhere' as problem from pabal.lane l cross join lateral unnest(l.holders) as h(id)
  where not exists (select from pabal.ready r where r.id = h.id)
    and not exists (select from pabal.lease e where e.id = h.id) and not exists (select from pabal.delayed d where d.id = h.id)
  union all
  select w.lane, w.id, 'runs without holding' from pabal.work w
  where w.lane is not null and (exists (select from pabal.ready r where r.id = w.id) or exists (select from pabal.lease e where e.id = w.id))
    and not exists (select from pabal.lane l where l.lane = w.lane and w.id = any(l.holders))
  union all
  select l.lane, cardinality(l.holders), 'nobody holds it, or somebody twice' from pabal.lane l
  where cardinality(l.holders) <> (select count(distinct h) from unnest(l.holders) as h) or l.holders = '{}')
select
  coalesce((select jsonb_agg(to_jsonb(m)) from misplaced m), '[]') as misplaced,
  coalesce((select jsonb_agg(to_jsonb(m)) from misheld m), '[]') as misheld,
  array(select w.id from pabal.work w join pabal.outcome o on o.id = w.id and o.final where w.records_end order by w.id) as asked,
  array(select subject from pabal.fact where name = 'job.ended' order by subject) as recorded;
