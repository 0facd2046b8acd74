-- name: was_started(workflow, seq)
select true from pabal.workflow_start where workflow_id = :workflow and event_seq = :seq and run_id is not null;

-- name: note_start(workflow, seq, name, id, run, code, reason)!
-- one that was refused may be handed out again, once its reason is gone; one that started may not
insert into pabal.workflow_start (workflow_id, event_seq, event_name, event_id, run_id, code, reason, at)
values (:workflow, :seq, :name, :id, :run, :code, :reason, pabal.now())
on conflict (workflow_id, event_seq) do update set run_id = excluded.run_id, code = excluded.code, reason = excluded.reason, at = excluded.at
where workflow_start.run_id is null;

-- name: list_starts(workflow, most)
select event_seq, event_name, event_id, run_id, code, reason, at from pabal.workflow_start where workflow_id = :workflow order by event_seq desc limit :most;
