-- name: begin_backup(job_id, requested_by, host, folder, file, now)
-- one row per job: an attempt that was cut off is begun anew
insert into pabal.backup (job_id, requested_by, host, folder, file, started_at)
values (:job_id, :requested_by, :host, :folder, :file, :now)
on conflict (job_id) do update set host = excluded.host, folder = excluded.folder, file = excluded.file, started_at = excluded.started_at
returning *;

-- name: end_backup(id, now, size, sha256, counts)!
update pabal.backup set ended_at = :now, ending = 'done', size = :size, sha256 = :sha256, counts = :counts where id = :id;

-- name: fail_backup(job_id, now, reason)
update pabal.backup set ended_at = :now, ending = 'failed', reason = :reason where job_id = :job_id and ending is null
returning *;

-- name: write_check(id, now, result, detail)
update pabal.backup set checked_at = :now, check_result = :result, check_detail = :detail where id = :id returning *;

-- name: find_backup(id)
select * from pabal.backup where id = :id;

-- name: find_newest_good()
select * from pabal.backup where ending = 'done' and check_result is distinct from 'bad' order by id desc limit 1;

-- name: list_backups(before, most)
select * from pabal.backup where id < :before order by id desc limit :most;

-- name: list_files()
select distinct file from pabal.backup;

-- name: delete_backups(ids)!
delete from pabal.backup where id = any(:ids::bigint[]);
