-- name: hold_rows(subjects, now)!
-- `where false` writes nothing to those that are there and locks them all the same, always in the same order
insert into pabal.sign_in_try (subject, tries, last_at) select s, '{}', :now from unnest(:subjects::text[]) s order by s
on conflict (subject) do update set last_at = excluded.last_at where false;

-- name: list_tries(subjects)
select subject, tries from pabal.sign_in_try where subject = any(:subjects::text[]) order by subject;

-- name: update_tries(subject, tries, now)!
update pabal.sign_in_try set tries = :tries, last_at = :now where subject = :subject;

-- name: clear_tries(subject)!
update pabal.sign_in_try set tries = '{}' where subject = :subject;

-- name: give_back(subject, own, at)!
-- every try is in both rows with the same moment
update pabal.sign_in_try a set tries = array(
  select t from unnest(a.tries) t
  where t <> :at::timestamptz and not exists (select from pabal.sign_in_try o where o.subject = :own and t = any(o.tries)) order by t)
where a.subject = :subject;

-- name: forget_tries(before)!
delete from pabal.sign_in_try where subject = any(array(
  select subject from pabal.sign_in_try where last_at < :before::timestamptz limit 10000 for update skip locked));
