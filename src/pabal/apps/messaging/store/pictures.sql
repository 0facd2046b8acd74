-- name: shows_one(schedule_ids, template_ids, delivery_ids, units, template_units)
-- whether any of these is to be seen
-- unit: both lists come from the door; templates are shared downwards, so theirs holds the units above too
select exists (select from pabal.message_schedule s where s.id = any(:schedule_ids::bigint[]) and s.deleted_at is null
    and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])))
  or exists (select from pabal.message_template t where t.id = any(:template_ids::bigint[])
    and (:template_units::bigint[] is null or t.unit_id = any(:template_units::bigint[])))
  or exists (select from pabal.delivery d where d.id = any(:delivery_ids::bigint[])
    and (:units::bigint[] is null or d.unit_id = any(:units::bigint[])));
