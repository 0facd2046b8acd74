-- name: insert_entry(at, actor, actor_label, origin, unit_id, action, about, before, after)!
insert into pabal.audit (at, actor, actor_label, origin, unit_id, action, about, before, after)
values (:at, :actor, :actor_label, :origin, :unit_id, :action, :about, :before, :after);
