-- name: load_subjects(ids)
select id, unit_id, state, version from victim.subject where id = any(:ids::bigint[]) order by id;
