-- name: set_due(kind, due)!
update pabal.schedule set next_at = :due where kind = :kind;
