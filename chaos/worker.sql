-- name: insert_held(route, worker, epoch, pid)!
insert into chaos.held (route, worker, epoch, pid) values (:route, :worker, :epoch, :pid);
