-- name: list_templates(units, users, ids, name, q, after_name, after_id, most)
-- unit: `users` comes from the door too, without the units above
-- with how much those use each: by schedules there are, and by what those sent that ever were
select t.id, t.unit_id, u.name as unit_name, t.name, t.text, t.images_1, t.images_2, t.created_by, t.created_at, t.updated_at,
  coalesce(s.schedules, 0) as schedules, coalesce(s.sends, 0) as sends
from pabal.message_template t join pabal.unit u on u.id = t.unit_id
left join (
  select template_id, count(*) filter (where deleted_at is null) as schedules, sum(send_count) as sends
  from pabal.message_schedule where template_id is not null and (:users::bigint[] is null or unit_id = any(:users::bigint[]))
  group by template_id) s on s.template_id = t.id
where (t.name, t.id) > (:after_name::text, :after_id::bigint)
  and (:units::bigint[] is null or t.unit_id = any(:units::bigint[])) and (:ids::bigint[] is null or t.id = any(:ids::bigint[]))
  and (:name::text is null or t.name = :name) and (:q::text is null or t.name ilike :q or t.text ilike :q)
order by t.name, t.id limit :most;

-- name: lock_template(id)
select id from pabal.message_template where id = :id for update;

-- name: insert_template(unit_id, name, text, images_1, images_2, created_by, now)
insert into pabal.message_template (unit_id, name, text, images_1, images_2, created_by, created_at, updated_at)
values (:unit_id, :name, :text, :images_1, :images_2, :created_by, :now, :now) returning id;

-- name: update_template(id, unit_id, name, text, images_1, images_2, now)!
update pabal.message_template set unit_id = :unit_id, name = :name, text = :text, images_1 = :images_1, images_2 = :images_2, updated_at = :now
where id = :id;

-- name: delete_template(id)!
delete from pabal.message_template where id = :id;

-- name: shows_one(schedule_ids, template_ids, delivery_ids, units, template_units)
-- whether any of these is to be seen
-- unit: both lists come from the door; templates are shared downwards, so theirs holds the units above too
select exists (select from pabal.message_schedule s where s.id = any(:schedule_ids::bigint[]) and s.deleted_at is null
    and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])))
  or exists (select from pabal.message_template t where t.id = any(:template_ids::bigint[])
    and (:template_units::bigint[] is null or t.unit_id = any(:template_units::bigint[])))
  or exists (select from pabal.delivery d where d.id = any(:delivery_ids::bigint[])
    and (:units::bigint[] is null or d.unit_id = any(:units::bigint[])));
