-- name: count_all()!
insert into rules.recall_gram (gram, cases)
select gram, count(*) from rules.recall_case, unnest(grams) gram group by gram;
