-- name: has_story()
select exists (select from victim.subject);

-- name: insert_subject()
insert into victim.subject (state, version) values ('armed', 1) returning id;

-- name: insert_effects(jobs, what)!
insert into victim.effect (what, job) select :what, job from unnest(:jobs::bigint[]) as g(job);

-- name: is_finished()
select exists (select from victim.subject) and not exists (select from victim.subject where state = 'armed')
  and not exists (select from pabal.schedule where next_at is not null and kind like 'victim.%')
  and not exists (select from pabal.work w where not exists (select from pabal.outcome o where o.id = w.id and o.final))
  and (select count(*) from pabal.fact where name like 'victim%') = (select count(*) from victim.effect where what = 'delivered');

-- name: list_effects()
select what, job, count(*) as times from victim.effect group by what, job;

-- name: list_ends()
select w.kind, o.result, count(*) as jobs from pabal.work w join pabal.outcome o on o.id = w.id and o.final group by w.kind, o.result;

-- name: count_failures()
select count(*) from pabal.outcome where result = 'retry';

-- name: list_occurrences()
select decision, "end" from pabal.occurrence;
