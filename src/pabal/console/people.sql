-- name: count_people(units)
select unit_id, count(*) as people from pabal.user_account
where :units::bigint[] is null or unit_id = any(:units::bigint[]) group by unit_id;
