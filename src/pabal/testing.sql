-- name: list_enqueued(kind)
select args from pabal.work where kind = :kind order by id;
