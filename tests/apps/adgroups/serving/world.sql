-- name: fill(count, code, unit_id, campaign_id, now)!
with place as (
  insert into pabal.inventory (unit_id, code, name, created_at) values (:unit_id, :code, :code, :now) returning id),
made as (
  insert into pabal.ad_group (unit_id, state, version, campaign_id, name, start_at, end_at, creatives, inventories, created_by,
    created_at, updated_at)
  select :unit_id, 'running', 5, :campaign_id, 'no. ' || n, :now, :now + interval '1 day', 1, 1, 'test', :now, :now
  from generate_series(1, :count::int) as g(n) returning id),
shown as (
  insert into pabal.creative (unit_id, ad_group_id, name, url, created_at)
  select :unit_id, id, 'banner', 'https://cdn.example/' || id, :now from made)
insert into pabal.ad_group_inventory (ad_group_id, inventory_id) select made.id, place.id from made, place;
