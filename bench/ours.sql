-- name: is_empty()$
select not exists (select from pabal.ready) and not exists (select from pabal.lease)
  and not exists (select from pabal.waiting) and not exists (select from pabal.delayed);
