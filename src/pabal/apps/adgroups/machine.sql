-- name: load_subjects(ids)
select g.id, g.unit_id, g.state, g.version, g.creatives, g.inventories, c.state as campaign_state, c.end_at as campaign_end_at,
  g.start_at, g.end_at, g.zone, g.dayparts::text, g.moved::text, g.is_held
from unnest(:ids::bigint[]) as i(id)
cross join lateral (select * from pabal.ad_group g where g.id = i.id offset 0) g
cross join lateral (select c.state, c.end_at from pabal.campaign c where c.id = g.campaign_id offset 0) c
order by g.id;
