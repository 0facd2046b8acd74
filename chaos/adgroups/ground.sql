-- name: insert_ad_groups(unit_id, starts, ends, dayparts, moved)
-- approved, with the history of how they came to be
with held as (
  insert into pabal.campaign (unit_id, name, state, start_at, created_by, created_at, updated_at)
  values (:unit_id, 'Survival', 'open', pabal.now(), 'chaos', pabal.now(), pabal.now()) returning id),
shown as (
  insert into pabal.inventory (unit_id, code, name, created_at) values (:unit_id, 'survival', 'Survival', pabal.now()) returning id),
made as (
  insert into pabal.ad_group (unit_id, state, version, campaign_id, name, start_at, end_at, zone, dayparts, moved, creatives, inventories,
    ready_at, ready_confirmed_at, created_by, created_at, updated_at)
  select :unit_id, 'approved', 3, held.id, 'Ad group ' || g.n, g.start_at, g.end_at, 'UTC', g.dayparts::jsonb, g.moved::jsonb, 1, 1,
    pabal.now(), pabal.now(), 'chaos', pabal.now(), pabal.now()
  from held cross join unnest(:starts::timestamptz[], :ends::timestamptz[], :dayparts::text[], :moved::text[])
    with ordinality as g(start_at, end_at, dayparts, moved, n) returning id, start_at, end_at),
linked as (insert into pabal.ad_group_inventory (ad_group_id, inventory_id) select made.id, shown.id from made cross join shown),
drawn as (
  insert into pabal.creative (unit_id, ad_group_id, name, url, created_at)
  select :unit_id, id, 'Creative', 'https://creatives.example/' || id, pabal.now() from made),
told as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, at)
  select 'adgroup', made.id, v.version, v.event, v.source, v.target, :unit_id, 'chaos', pabal.now()
  from made cross join (values (1, 'begin', null, 'draft'), (2, 'complete_setup', 'draft', 'ready'),
    (3, 'approve', 'ready', 'approved')) as v(version, event, source, target)),
armed as (
  insert into pabal.timer (machine, subject, event, due_at)
  select 'adgroup', made.id, t.event, t.due_at
  from made cross join lateral (values ('start', made.start_at), ('expire', made.end_at)) as t(event, due_at))
select id from made order by id;

-- name: count_left(said)
select (select count(*) from pabal.timer where machine = 'adgroup' and due_at <= pabal.now())
  + (select count(*) from pabal.ready) + (select count(*) from pabal.waiting) + (select count(*) from pabal.lease)
  + (select count(*) from unnest(:said::text[]) as s(id) where not exists (
      select from pabal.broker_event e where e.id = s.id and e.result in ('applied', 'refused')));
