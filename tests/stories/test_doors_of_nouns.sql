-- name: add_backup(now)
-- One that was taken, so that it can be checked.
insert into pabal.backup (job_id, host, folder, file, started_at, ended_at, ending, size, sha256)
values (pabal.new_id(), 'here', '/backups', 'pabal.dump', :now::timestamptz, :now::timestamptz, 'done', 1, '')
returning id;

-- name: add_mismatch(unit_id, ad_group_id, now)
insert into pabal.mismatch (unit_id, ad_group_id, calculated, stored, cause, since, seen_at)
values (:unit_id, :ad_group_id, 'running', 'draft', 'never_approved', :now::timestamptz, :now::timestamptz)
returning id;

-- name: find_room(channel_id)
select id from pabal.room where channel_id = :channel_id;
