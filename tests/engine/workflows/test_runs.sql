-- name: note_opened(run, opened)!
-- as if it had opened so many, of which one goes on
update pabal.workflow_run set opened = :opened, ended = :opened - 1 where id = :run;
