-- name: count_rows()
select (select count(*) from pabal.workflow_run)::int as runs, (select count(*) from pabal.workflow_step)::int as steps,
  (select count(*) from pabal.workflow_note)::int as notes, (select count(*) from pabal.workflow_wait)::int as waits,
  (select count(*) from pabal.workflow_question)::int as questions, (select count(*) from pabal.approval)::int as approvals,
  (select count(*) from pabal.transition where machine in ('workflow_run', 'workflow_question', 'approval'))::int as history;
