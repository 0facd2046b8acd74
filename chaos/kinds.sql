-- name: insert_recorded(job, token, route, epoch)!
-- the epoch that is current while this transaction writes, beside the one under which the attempt started
insert into chaos.recorded (job, token, route, epoch, current_epoch)
values (:job, :token, :route, :epoch, (select r.epoch from pabal.route r where r.route = :route::text));

-- name: insert_given_up(job, token, reason)!
insert into chaos.given_up (job, token, reason) values (:job, :token, :reason);

-- name: insert_effects(jobs, tokens)!
insert into chaos.effect (job, token) select * from unnest(:jobs::bigint[], :tokens::bigint[]);

-- name: cut_connection()
-- as when the server ends a transaction that took too long
select pg_terminate_backend(pg_backend_pid());
