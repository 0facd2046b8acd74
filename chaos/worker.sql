-- name: insert_held(route, worker, epoch, pid)!
insert into chaos.held (route, worker, epoch, pid) values (:route, :worker, :epoch, :pid);

-- name: is_held(routes)
select exists (select from pabal.route where route = any(:routes::text[]));
