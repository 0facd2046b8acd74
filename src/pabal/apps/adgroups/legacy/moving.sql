-- unit_id is the run's, which whoever planned it could see.

-- name: next_rows(run_id, after, upto)
-- numbers have no gap; a limit would have all the rest sorted for each slice
select n, legacy_id, start_at, end_at, ready_at, ready_confirmed_at, deleted_at, old_status, zone, dayparts, refusal,
  creatives <> '{}' as has_creatives, inventory <> '{}' as has_inventory
from pabal.legacy_row where run_id = :run_id and n > :after and n <= :upto order by n;

-- name: make_campaigns(run_id, first, last, unit_id, created_by, now)
-- unit: the run's own
insert into pabal.campaign (unit_id, name, state, start_at, created_by, created_at, updated_at)
select :unit_id, r.campaign, 'open', min(r.start_at), :created_by, :now, :now
from pabal.legacy_row r
where r.run_id = :run_id and r.n between :first and :last and r.refusal is null
group by r.campaign
having not exists (select from pabal.campaign c where c.unit_id = :unit_id and c.name = r.campaign)
order by r.campaign returning id;

-- name: make_inventories(run_id, first, last, unit_id, now)
insert into pabal.inventory (unit_id, code, name, created_at)
select distinct :unit_id::bigint, code, code, :now::timestamptz
from pabal.legacy_row r cross join unnest(r.inventory) as i(code)
where r.run_id = :run_id and r.n between :first and :last and r.refusal is null
order by code on conflict (code) do nothing returning id;

-- name: make_groups(run_id, ns, states, unit_id, created_by, now)
-- unit: the run's own
-- shown by the calculator until a flag says otherwise
insert into pabal.ad_group (unit_id, state, version, campaign_id, name, start_at, end_at, zone, dayparts, creatives, inventories, source,
  ready_at, ready_confirmed_at, deleted_at, legacy_id, created_by, created_at, updated_at)
select :unit_id, d.state, 1, c.id, r.name, r.start_at, r.end_at, r.zone, r.dayparts::jsonb, cardinality(r.creatives), i.count, 'calculator',
  r.ready_at, r.ready_confirmed_at, r.deleted_at, r.legacy_id, :created_by, :now, :now
from unnest(:ns::bigint[], :states::text[]) as d(n, state)
cross join lateral (select * from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n offset 0) r
cross join lateral (select c.id from pabal.campaign c where c.unit_id = :unit_id and c.name = r.campaign order by c.id limit 1) c
cross join lateral (select case when r.inventory = '{}' then 0 else (
  select count(*) from unnest(r.inventory) as w(code) join pabal.inventory i on i.code = w.code and i.unit_id = :unit_id) end as count) i
on conflict (legacy_id) where legacy_id is not null do nothing returning id, legacy_id;

-- name: note_made(run_id, ns, ids, now)!
-- whoever holds the run is alone with its rows, so their place is sure (why a lateral: see claims.sql)
update pabal.legacy_row r set outcome = 'made', ad_group_id = f.ad_group_id, done_at = :now
from (
  select r.place, d.ad_group_id from unnest(:ns::bigint[], :ids::bigint[]) as d(n, ad_group_id) cross join lateral (
    select r.ctid as place from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n offset 0) r) f
where r.ctid = f.place;

-- name: add_creatives(run_id, ns, ids, unit_id, now)!
insert into pabal.creative (unit_id, ad_group_id, name, url, created_at)
select :unit_id, d.ad_group_id, left(w.url, 200), w.url, :now
from unnest(:ns::bigint[], :ids::bigint[]) as d(n, ad_group_id)
cross join lateral (select r.creatives from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n offset 0) r
cross join unnest(r.creatives) as w(url);

-- name: add_inventories(run_id, ns, ids, unit_id)!
-- unit: the run's own; a code that is another unit's stays theirs
insert into pabal.ad_group_inventory (ad_group_id, inventory_id)
select d.ad_group_id, i.id
from unnest(:ns::bigint[], :ids::bigint[]) as d(n, ad_group_id)
cross join lateral (select r.inventory from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n offset 0) r
cross join unnest(r.inventory) as w(code)
cross join lateral (select i.id from pabal.inventory i where i.code = w.code and i.unit_id = :unit_id offset 0) i;

-- name: change_groups(run_id, ns, unit_id, now)
-- unit: the run's own
with old as (
  select r.place, g.id, r.name, r.start_at, r.end_at, r.zone, r.dayparts::jsonb as dayparts, r.ready_at, r.ready_confirmed_at, r.deleted_at,
    jsonb_build_object('name', g.name, 'start_at', g.start_at, 'end_at', g.end_at, 'zone', g.zone, 'dayparts', g.dayparts, 'moved', g.moved,
      'ready_at', g.ready_at, 'ready_confirmed_at', g.ready_confirmed_at, 'deleted_at', g.deleted_at, 'updated_at', g.updated_at) as before
  from unnest(:ns::bigint[]) as d(n)
  cross join lateral (select r.ctid as place, r.* from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n offset 0) r
  cross join lateral (select * from pabal.ad_group g where g.legacy_id = r.legacy_id for update offset 0) g
  where g.unit_id = :unit_id and g.state not in ('expired', 'deleted')
    and (g.name, g.start_at, g.end_at, g.zone, g.dayparts, g.ready_at, g.ready_confirmed_at, g.deleted_at)
      is distinct from (r.name, r.start_at, r.end_at, r.zone, r.dayparts::jsonb, r.ready_at, r.ready_confirmed_at, r.deleted_at)),
changed as (
  update pabal.ad_group g set name = o.name, start_at = o.start_at, end_at = o.end_at, zone = o.zone, dayparts = o.dayparts,
    moved = case when (g.zone, g.dayparts) is distinct from (o.zone, o.dayparts) then '[]' else g.moved end,
    ready_at = o.ready_at, ready_confirmed_at = o.ready_confirmed_at, deleted_at = o.deleted_at,
    schedule_version = g.schedule_version + 1, updated_at = :now
  from old o where g.id = o.id)
update pabal.legacy_row r set outcome = 'changed', ad_group_id = o.id, before = o.before, done_at = :now
from old o where r.ctid = o.place returning o.id;

-- name: note_known(run_id, ns, unit_id, now)!
-- unit: the run's own
update pabal.legacy_row r set done_at = :now, outcome = case when f.is_own then 'same' else 'refused' end,
  refusal = case when f.is_own then null else 'taken' end, ad_group_id = case when f.is_own then f.id end
from (
  select r.place, g.id, g.unit_id = :unit_id as is_own from unnest(:ns::bigint[]) as d(n)
  cross join lateral (
    select r.ctid as place, r.legacy_id from pabal.legacy_row r where r.run_id = :run_id and r.n = d.n and r.outcome is null offset 0) r
  cross join lateral (select g.id, g.unit_id from pabal.ad_group g where g.legacy_id = r.legacy_id offset 0) g) f
where r.ctid = f.place;

-- name: note_refused(run_id, ns, outcome, now)!
update pabal.legacy_row set outcome = :outcome, done_at = :now where run_id = :run_id and n = any(:ns::bigint[]);

-- name: count_outcomes(run_id, first, last)
select outcome, count(*)::int from pabal.legacy_row where run_id = :run_id and n between :first and :last group by outcome;

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
