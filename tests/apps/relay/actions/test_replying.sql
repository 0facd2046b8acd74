-- name: list_delayed()
select d.due_at from pabal.work w left join pabal.delayed d on d.id = w.id where w.kind = 'relay.call_back';
