-- name: list_demo_groups()
-- unit: all of the demo's, whoever asks; and those that somebody put into its campaigns
select g.id, g.state from pabal.ad_group g join pabal.campaign c on c.id = g.campaign_id
where g.unit_id in (select id from pabal.unit where is_demo) or c.unit_id in (select id from pabal.unit where is_demo) order by g.id;

-- name: delete_demo_groups(ids)!
delete from pabal.ad_group where id = any(:ids::bigint[]);

-- name: delete_demo_flags()!
-- unit: all of the demo's, whoever asks
delete from pabal.state_flag where unit_id in (select id from pabal.unit where is_demo);

-- name: delete_demo_runs()!
-- unit: all of the demo's, whoever asks
delete from pabal.legacy_run where unit_id in (select id from pabal.unit where is_demo);

-- name: delete_demo_campaigns()!
-- unit: all of the demo's, whoever asks
delete from pabal.campaign where unit_id in (select id from pabal.unit where is_demo);

-- name: delete_demo_inventory(hq)!
-- unit: all of the demo's, whoever asks; what somebody else's ad group came to use stays for it, with the HQ
with kept as (
  update pabal.inventory i set unit_id = :hq
  where unit_id in (select id from pabal.unit where is_demo) and exists (select from pabal.ad_group_inventory l where l.inventory_id = i.id))
delete from pabal.inventory i where unit_id in (select id from pabal.unit where is_demo)
  and not exists (select from pabal.ad_group_inventory l where l.inventory_id = i.id);
