-- name: insert_entry(at, actor, actor_label, origin, unit_id, action, about, before, after)!
insert into pabal.audit (at, actor, actor_label, origin, unit_id, action, about, before, after)
values (:at, :actor, :actor_label, :origin, :unit_id, :action, :about, :before, :after);

-- name: list_entries(units, actor, action, about, since, until, before, most)
-- ids carry their moment, so a time range is a range of the primary key
select id, at, actor, actor_label, origin, unit_id, action, about, before, after from pabal.audit
where id < :before
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:actor::text is null or actor = :actor) and (:action::text is null or action like :action)
  and (:about::text is null or about = :about)
  and (:since::timestamptz is null or id >= pabal.id_at(:since::timestamptz))
  and (:until::timestamptz is null or id < pabal.id_at(:until::timestamptz))
order by id desc limit :most;
