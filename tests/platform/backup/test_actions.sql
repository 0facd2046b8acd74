-- name: begin_backup(is_whole, now)
insert into pabal.backup (job_id, host, folder, file, started_at, ended_at, ending, size, sha256)
values (pabal.new_id(), 'here', '/backups', 'pabal.dump', :now::timestamptz, case when :is_whole::boolean then :now::timestamptz end,
  case when :is_whole then 'done' end, case when :is_whole then 1 end, case when :is_whole then '' end)
returning id;
