-- name: insert_effect(key, what, n)!
insert into chaos.step_effect (key, what, n) values (:key, :what, :n);
