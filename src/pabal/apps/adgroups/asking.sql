-- name: list_asking(ids, now)
-- unit: by id, of ad groups that this commit holds
select g.id, g.unit_id, g.campaign_id, g.end_at, t.actor from pabal.ad_group g cross join lateral (
  select t.actor from pabal.transition t where t.machine = 'adgroup' and t.subject = g.id order by t.version desc limit 1) t
where g.id = any(:ids::bigint[]) and g.state = 'ready' and g.end_at > :now order by g.id;
