-- name: insert_heard(seqs, subjects)!
insert into chaos.heard (seq, subject) select * from unnest(:seqs::bigint[], :subjects::text[]);

-- name: cut_connection()
select pg_terminate_backend(pg_backend_pid());
