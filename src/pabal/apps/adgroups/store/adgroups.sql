-- name: load_ad_groups(ids)
-- in the order given
select g.id, g.unit_id, g.state, g.version, g.name, g.campaign_id, c.name as campaign_name, g.schedule_version, g.creatives,
  g.inventories, g.source, g.ready_at, g.ready_confirmed_at, g.deleted_at, g.legacy_id, g.created_by, g.created_at, g.updated_at,
  g.start_at, g.end_at, g.zone, g.dayparts::text, g.moved::text, g.is_held
from unnest(:ids::bigint[]) with ordinality as i(id, n) join pabal.ad_group g on g.id = i.id join pabal.campaign c on c.id = g.campaign_id
order by i.n;

-- name: lock_ad_group(id)
select id from pabal.ad_group where id = :id for update;

-- name: find_ad_groups(units, states, campaign_id, source, q, before_id, most)
-- the newest first; deleted ones only when asked for
select g.id from pabal.ad_group g
where g.id < :before_id and (:units::bigint[] is null or g.unit_id = any(:units::bigint[]))
  and (case when :states::text[] is null then g.state <> 'deleted' else g.state = any(:states::text[]) end)
  and (:campaign_id::bigint is null or g.campaign_id = :campaign_id) and (:source::text is null or g.source = :source)
  and (:q::text is null or g.name ilike :q)
order by g.id desc limit :most;

-- name: find_named(units, name, most)
-- by the whole name, in any state; the newest first
select id from pabal.ad_group where name = :name and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: list_open_of_campaign(campaign_id)
select id from pabal.ad_group where campaign_id = :campaign_id and state not in ('expired', 'deleted');

-- name: count_states(units)
select state, count(*)::int from pabal.ad_group where :units::bigint[] is null or unit_id = any(:units::bigint[]) group by state;

-- name: insert_ad_group(unit_id, campaign_id, name, start_at, end_at, zone, dayparts, created_by, now)
insert into pabal.ad_group (unit_id, state, version, campaign_id, name, start_at, end_at, zone, dayparts, created_by, created_at, updated_at)
values (:unit_id, 'draft', 1, :campaign_id, :name, :start_at, :end_at, :zone, :dayparts::jsonb, :created_by, :now, :now) returning id;

-- name: update_ad_group(id, campaign_id, name, now)!
update pabal.ad_group set campaign_id = :campaign_id, name = :name, updated_at = :now where id = :id;

-- name: update_schedule(id, start_at, end_at, zone, dayparts, moved, is_held, now)!
update pabal.ad_group set start_at = :start_at, end_at = :end_at, zone = :zone, dayparts = :dayparts::jsonb, moved = :moved::jsonb,
  is_held = :is_held, schedule_version = schedule_version + 1, updated_at = :now
where id = :id;

-- name: note_event(ids, event, now)!
-- what the old calculator looks at stays true, so that both can be compared
update pabal.ad_group set updated_at = :now,
  ready_at = case :event::text when 'complete_setup' then :now when 'reject' then null else ready_at end,
  ready_confirmed_at = case :event::text when 'approve' then :now when 'reject' then null else ready_confirmed_at end,
  deleted_at = case :event::text when 'delete' then :now else deleted_at end
where id = any(:ids::bigint[]);

-- name: list_creatives(ad_group_id)
select id, ad_group_id, name, url, created_at from pabal.creative where ad_group_id = :ad_group_id order by id;

-- name: insert_creative(unit_id, ad_group_id, name, url, now)
with made as (
  insert into pabal.creative (unit_id, ad_group_id, name, url, created_at) values (:unit_id, :ad_group_id, :name, :url, :now) returning id),
counted as (update pabal.ad_group set creatives = creatives + 1, updated_at = :now where id = :ad_group_id)
select id from made;

-- name: delete_creative(ad_group_id, id, now)
with gone as (delete from pabal.creative where id = :id and ad_group_id = :ad_group_id returning id),
counted as (update pabal.ad_group set creatives = creatives - 1, updated_at = :now where id = :ad_group_id and exists (select from gone))
select id from gone;

-- name: list_inventories_of(ad_group_id)
select i.id, i.unit_id, i.code, i.name, i.created_at from pabal.ad_group_inventory l join pabal.inventory i on i.id = l.inventory_id
where l.ad_group_id = :ad_group_id order by i.code;

-- name: set_inventories(ad_group_id, inventory_ids, now)!
with gone as (
  delete from pabal.ad_group_inventory where ad_group_id = :ad_group_id and inventory_id <> all(:inventory_ids::bigint[])),
added as (
  insert into pabal.ad_group_inventory (ad_group_id, inventory_id) select :ad_group_id, id from unnest(:inventory_ids::bigint[]) as g(id)
  on conflict do nothing)
update pabal.ad_group set inventories = cardinality(:inventory_ids::bigint[]), updated_at = :now where id = :ad_group_id;

-- name: find_legacy(legacy_id)
select id from pabal.ad_group where legacy_id = :legacy_id;
