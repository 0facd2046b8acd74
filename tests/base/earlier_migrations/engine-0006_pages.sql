-- For people who look: what lists are read by. Partial, so that rows nobody owns cost nothing more.
create index work_unit on pabal.work (unit_id, id) where unit_id is not null;
create index work_lane on pabal.work (lane, id) where lane is not null;
create index work_route on pabal.work (queue, id) where queue <> kind;

create index fact_unit on pabal.fact (unit_id, seq) where unit_id is not null;

-- a schedule may be gone, and its ledger is still its unit's
alter table pabal.occurrence add column unit_id bigint;
update pabal.occurrence o set unit_id = s.unit_id from pabal.schedule s where s.id = o.schedule_id and s.unit_id is not null;
-- with the schedule: ten thousand of one moment must not be sorted for each page
drop index pabal.occurrence_fire;
create index occurrence_fire on pabal.occurrence (fire_at, schedule_id);
create index occurrence_unit on pabal.occurrence (unit_id, fire_at, schedule_id) where unit_id is not null;
-- for people looking for what went wrong; what went well costs nothing
create index occurrence_state on pabal.occurrence (coalesce("end", decision), fire_at, schedule_id) include (unit_id)
  where coalesce("end", decision) not in ('done', 'enqueued');

create index schedule_kind on pabal.schedule (kind, id);
create index schedule_unit_next on pabal.schedule (unit_id, next_at, id) where unit_id is not null and paused_at is null and next_at is not null;
create index schedule_paused on pabal.schedule (id) where paused_at is not null;
create index schedule_unit_paused on pabal.schedule (unit_id, id) where unit_id is not null and paused_at is not null;
create index schedule_over on pabal.schedule (id) where paused_at is null and next_at is null;
create index schedule_unit_over on pabal.schedule (unit_id, id) where unit_id is not null and paused_at is null and next_at is null;

-- with the subject, for the same reason
drop index pabal.transition_at;
create index transition_at on pabal.transition (machine, at, subject);
create index transition_unit on pabal.transition (unit_id, machine, at, subject) where unit_id is not null;
create index transition_actor on pabal.transition (machine, actor, at) where actor <> 'engine';

-- from then on this life takes nothing more, finishes what it has and lets its routes go
alter table pabal.worker add column drain_at timestamptz;

-- Attempts are appended in the order of their ends, so this finds the last minutes and costs their insert next to nothing.
create index outcome_ended on pabal.outcome using brin (ended_at) with (autosummarize = on);
