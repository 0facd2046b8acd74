-- name: find_legacy(legacy_id)
select id from pabal.ad_group where legacy_id = :legacy_id;
