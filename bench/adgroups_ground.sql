-- name: insert_campaigns(unit_id, count)!
insert into pabal.campaign (unit_id, name, state, start_at, end_at, created_by, created_at, updated_at)
select :unit_id::bigint, 'Campaign ' || n, 'open', pabal.now(), pabal.now() + interval '90 days', 'bench', pabal.now(), pabal.now()
from generate_series(1, :count::int) as n;

-- name: insert_inventories(unit_id, count)!
insert into pabal.inventory (unit_id, code, name, created_at)
select :unit_id::bigint, 'inv-' || n, 'Inventory ' || n, pabal.now() from generate_series(1, :count::int) as n;

-- name: insert_ad_groups(count, start_at, hours, zones)!
-- Approved, all for one moment. Every fourth has no hours; the others share a few, in two zones, as real ones do.
insert into pabal.ad_group (unit_id, state, version, campaign_id, name, start_at, end_at, zone, dayparts, creatives, inventories,
  ready_at, ready_confirmed_at, created_by, created_at, updated_at)
select c.unit_id, 'approved', 3, c.id, 'Ad group ' || n, :start_at::timestamptz,
  :start_at::timestamptz + interval '30 days' + n % 1000 * interval '1 minute',
  (:zones::text[])[1 + n % cardinality(:zones::text[])],
  case when n % 4 > 0 then (:hours::text[])[1 + n % cardinality(:hours::text[])]::jsonb end,
  1, 2, pabal.now(), pabal.now(), 'bench', pabal.now(), pabal.now()
from generate_series(1, :count::int) as n
join (select c.id, c.unit_id, row_number() over (order by c.id) - 1 as place, count(*) over () as number from pabal.campaign c) c
  on c.place = n % c.number
order by n;

-- name: insert_creatives()!
insert into pabal.creative (unit_id, ad_group_id, name, url, created_at)
select g.unit_id, g.id, 'Creative of ' || g.name, 'https://creatives.example/' || g.id || '.mp4', pabal.now() from pabal.ad_group g;

-- name: insert_links()!
insert into pabal.ad_group_inventory (ad_group_id, inventory_id)
select g.id, i.id from pabal.ad_group g
join (select i.id, row_number() over (order by i.id) - 1 as place, count(*) over () as number from pabal.inventory i) i
  on i.place in (g.id % i.number, (g.id + 1) % i.number);

-- name: insert_history()!
-- as they came to be approved
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, at)
select 'adgroup', g.id, v.version, v.event, v.source, v.target, g.unit_id, 'bench', pabal.now()
from pabal.ad_group g cross join (values (1, 'begin', null, 'draft'), (2, 'complete_setup', 'draft', 'ready'),
  (3, 'approve', 'ready', 'approved')) as v(version, event, source, target);

-- name: insert_timers()!
insert into pabal.timer (machine, subject, event, due_at)
select 'adgroup', g.id, t.event, t.due_at
from pabal.ad_group g cross join lateral (values ('start', g.start_at), ('expire', g.end_at)) as t(event, due_at);

-- name: read_midnight()
select min(start_at) from pabal.ad_group;

-- name: find_next_event()
-- starts come before everything else, so the first is one as long as any is left
select event from pabal.timer where machine = 'adgroup' order by due_at limit 1;

-- name: count_written()
select (select count(*) from pabal.ad_group where state = 'running' and version = 4) as moved,
       (select count(*) from pabal.transition where machine = 'adgroup' and version = 4 and target = 'running') as history,
       (select count(*) from pabal.fact where name = 'adgroup.running') as facts,
       (select count(*) from pabal.timer where machine = 'adgroup' and event = 'expire') as expire,
       (select count(*) from pabal.timer where machine = 'adgroup' and event = 'daily_end') as daily_end,
       (select count(*) from pabal.timer where machine = 'adgroup' and event = 'start') as start;
