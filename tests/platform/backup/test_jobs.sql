-- name: age_backup(id, days)!
update pabal.backup set started_at = started_at - make_interval(days => :days), ended_at = ended_at - make_interval(days => :days) where id = :id;

-- name: move_to_host(id, host)!
update pabal.backup set host = :host where id = :id;

-- name: miscount(id, counts)!
update pabal.backup set counts = :counts where id = :id;

-- name: list_scratch()
select datname from pg_database where starts_with(datname, 'pabal_check_' || left(md5(current_database()), 8));

-- name: scratch_name()
select 'pabal_check_' || left(md5(current_database()), 8) || '_left';

-- name: lose_place(id)!
delete from pabal.ready where id = :id;

-- name: forget_job(id)!
delete from pabal.work where id = :id;
