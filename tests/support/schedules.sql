-- name: rename_zone(id, zone)!
-- what an update of the tz database does to a schedule whose zone it drops
update pabal.schedule set zone = :zone where id = :id;

-- name: list_orphans()
-- decisions and jobs that do not agree: an enqueued occurrence without its job, a job twice, an end without the job's end or the reverse
select o.schedule_id, o.fire_at, o.work_id, o."end" from pabal.occurrence o
left join pabal.work w on w.id = o.work_id
left join pabal.outcome f on f.id = o.work_id and f.final
where o.work_id is not null and (w.id is null or (f.id is null) <> (o."end" is null)
  or w.args->>'schedule_id' <> o.schedule_id::text or (w.args->>'fire_at')::timestamptz <> o.fire_at)
union all
select null, null, w.id, null from pabal.work w
where w.args ? 'schedule_id' and (select count(*) from pabal.occurrence o where o.work_id = w.id) <> 1;

-- name: list_next_ats(ids)
select next_at from pabal.schedule where id = any(:ids::bigint[]) order by id;
