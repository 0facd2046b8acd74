-- name: list_facts(subject)
select name, data from pabal.fact where subject = :subject order by seq;
