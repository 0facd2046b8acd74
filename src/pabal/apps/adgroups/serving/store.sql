-- name: take_fence()
-- the row stays locked until the commit: whoever has the later number also reads later
update pabal.serving set fence = fence + 1 returning fence;

-- name: raise_fence(seen)!
-- Redis knows a later one than we gave out: this database is an older copy
update pabal.serving set fence = :seen where fence < :seen;

-- name: load_served(ids)
-- the whole value is made here: at midnight it is made for 100,000 in one go
select g.id, json_build_object('id', g.id, 'state', 'RUNNING', 'version', g.version, 'schedule_version', g.schedule_version,
  'name', g.name, 'unit', g.unit_id, 'campaign', g.campaign_id,
  'start_at', to_char(g.start_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'end_at', to_char(g.end_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'zone', g.zone, 'dayparts', g.dayparts, 'creatives', c.creatives, 'inventory', v.codes)::text as text, v.codes
from unnest(:ids::bigint[]) as i(id)
cross join lateral (select * from pabal.ad_group g where g.id = i.id and g.state = 'running' offset 0) g
cross join lateral (
  select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'url', c.url) order by c.id), '[]'::json) as creatives
  from pabal.creative c where c.ad_group_id = g.id offset 0) c
cross join lateral (
  select coalesce(array_agg(n.code order by n.code), '{}') as codes from pabal.ad_group_inventory l
  cross join lateral (select n.code from pabal.inventory n where n.id = l.inventory_id offset 0) n
  where l.ad_group_id = g.id offset 0) v;

-- name: list_running(after, most)
select id from pabal.ad_group where state = 'running' and id > :after order by id limit :most;

-- name: filter_running(ids)
select g.id from unnest(:ids::bigint[]) as i(id)
cross join lateral (select g.id from pabal.ad_group g where g.id = i.id and g.state = 'running' offset 0) g;

-- name: filter_holding(code, ids)
-- those that run and are to be shown there
select g.id from pabal.inventory n cross join unnest(:ids::bigint[]) as i(id)
cross join lateral (select g.id from pabal.ad_group g where g.id = i.id and g.state = 'running' offset 0) g
cross join lateral (select 1 from pabal.ad_group_inventory l where l.ad_group_id = g.id and l.inventory_id = n.id offset 0) l
where n.code = :code;

-- name: load_changes(ids)
-- when each last changed in anything that is served; those that are gone are left out
select g.id, greatest(g.updated_at, t.at) as changed_at from unnest(:ids::bigint[]) as i(id)
cross join lateral (select g.id, g.version, g.updated_at from pabal.ad_group g where g.id = i.id offset 0) g
left join lateral (
  select t.at from pabal.transition t where t.machine = 'adgroup' and t.subject = g.id and t.version = g.version offset 0) t on true;

-- name: find_standing()
select s.is_wanted, s.refreshed_at, s.rebuilt_at, s.away_since, s.away_error,
  (select count(*) from pabal.ad_group where state = 'running')::int as running
from pabal.serving s;

-- name: find_away()
select away_since from pabal.serving;

-- name: find_rebuilt()
select rebuilt_at from pabal.serving;

-- name: is_wanted()
select is_wanted from pabal.serving;

-- name: hold_wanted()
-- two servers that start together must not both make the schedule
select is_wanted from pabal.serving for update;

-- name: set_wanted(is_wanted)
-- answers nothing when it was so already
update pabal.serving set is_wanted = :is_wanted::boolean, away_since = null, away_error = null
where is_wanted <> :is_wanted::boolean returning is_only;

-- name: note_refreshed(now)!
update pabal.serving set refreshed_at = :now, away_since = null, away_error = null;

-- name: note_rebuilt(now)!
update pabal.serving set rebuilt_at = :now, refreshed_at = :now, away_since = null, away_error = null;

-- name: note_answers()!
update pabal.serving set away_since = null, away_error = null where away_since is not null;

-- name: note_away(now, error)!
update pabal.serving set away_since = coalesce(away_since, :now), away_error = :error;

-- name: insert_check(at, took_ms, asked_by, compared, differences, mended, error)
insert into pabal.serving_check (at, took_ms, asked_by, compared, differences, mended, error)
values (:at, :took_ms, :asked_by, :compared, :differences::jsonb, :mended, :error) returning id;

-- name: delete_checks(before)!
delete from pabal.serving_check where at < :before;

-- name: list_checks(most)
select id, at, took_ms, asked_by, compared, differences, mended, error from pabal.serving_check order by id desc limit :most;
