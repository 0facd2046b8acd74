-- name: hold_rows(run_id, low, high)
-- Whoever changes an ad group by hand leaves the moment of it in updated_at; timers that move it do not.
select r.n, r.outcome, g.id, g.state, g.updated_at = r.done_at as is_untouched
from pabal.legacy_row r
cross join lateral (select g.id, g.state, g.updated_at from pabal.ad_group g where g.id = r.ad_group_id for update offset 0) g
where r.run_id = :run_id and r.n > :low and r.n <= :high and r.outcome in ('made', 'changed') order by g.id;

-- name: delete_groups(ids)!
delete from pabal.ad_group where id = any(:ids::bigint[]);

-- name: restore_groups(run_id, ns)!
update pabal.ad_group g set name = b.name, start_at = b.start_at, end_at = b.end_at, zone = b.zone, dayparts = b.dayparts, moved = b.moved,
  ready_at = b.ready_at, ready_confirmed_at = b.ready_confirmed_at, deleted_at = b.deleted_at, updated_at = b.updated_at,
  schedule_version = g.schedule_version + 1
from pabal.legacy_row r cross join lateral jsonb_to_record(r.before) as b(name text, start_at timestamptz, end_at timestamptz, zone text,
  dayparts jsonb, moved jsonb, ready_at timestamptz, ready_confirmed_at timestamptz, deleted_at timestamptz, updated_at timestamptz)
where r.run_id = :run_id and r.n = any(:ns::bigint[]) and g.id = r.ad_group_id;

-- name: note_undone(run_id, ns, outcome)!
update pabal.legacy_row set outcome = :outcome where run_id = :run_id and n = any(:ns::bigint[]);

-- name: drop_things(id)!
-- Campaigns and inventory that it made, where nobody uses them.
with run as (select campaigns, inventories from pabal.legacy_run where id = :id),
campaigns as (
  delete from pabal.campaign c using run, unnest(run.campaigns) as m(id)
  where c.id = m.id and not exists (select from pabal.ad_group g where g.campaign_id = c.id) returning c.id),
flags as (delete from pabal.state_flag f using campaigns c where f.kind = 'campaign' and f.value = c.id)
delete from pabal.inventory i using run, unnest(run.inventories) as m(id)
where i.id = m.id and not exists (select from pabal.ad_group_inventory l where l.inventory_id = i.id);
