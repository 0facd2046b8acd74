-- name: is_empty()
-- a house with nothing but its HQ and its first administrator
select not exists (select from pabal.unit where level <> 'hq') and (select count(*) from (select from pabal.user_account limit 2) u) <= 1;

-- name: has_demo()
select exists (select from pabal.unit where is_demo);

-- name: list_demo_units()
-- the lowest first: a unit goes before its parent
select id from pabal.unit where is_demo order by array_position(array['branch', 'agency', 'distributor'], level), id;
