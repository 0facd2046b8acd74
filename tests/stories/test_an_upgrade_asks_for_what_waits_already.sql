-- name: forget_approvals#
-- as a version before approvals left it: no table, and nothing of theirs in what the engine keeps
drop table pabal.approval_later, pabal.approval_voice, pabal.approval;
delete from pabal.transition where machine = 'approval';
delete from pabal.timer where machine = 'approval';
delete from pabal.migration where (owner, name) in (
  ('platform', '0014_approvals'), ('platform', '0021_approvals_later'), ('messaging', '0006_approvals'), ('adgroups', '0004_approvals'));

-- name: list_timers()
select subject, due_at from pabal.timer where machine = 'approval' order by subject;
