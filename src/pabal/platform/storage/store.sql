-- name: new_id()
select pabal.new_id();

-- name: insert_file(id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames, made_by, now, keep_until, oldest, store)
-- not when the sweep may soon take its content for a stray
insert into pabal.file (id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
                        made_by, created_at, keep_until, loose_at, store)
select :id, :unit_id, :key, :thumbnail_key, :name, :media_type, :size, :sha256, :width, :height, :frames,
       :made_by, :now, :keep_until, :now, :store
where :id::bigint >= pabal.id_at(:oldest::timestamptz)
returning id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
          made_by, created_at, keep_until;

-- name: find_file(id, units)
select id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
       made_by, created_at, keep_until
from pabal.file
where id = :id and doomed_at is null and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: list_files(ids, units)
select id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
       made_by, created_at, keep_until
from pabal.file
where id = any(:ids::bigint[]) and doomed_at is null and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: lock_file(id)
-- uses change only under this lock, so that loose_at is true
select id from pabal.file where id = :id and doomed_at is null for update;

-- name: insert_use(file_id, about, now)!
insert into pabal.file_use (file_id, about, created_at) values (:file_id, :about, :now) on conflict do nothing;

-- name: hold_file(id)!
update pabal.file set loose_at = null where id = :id and loose_at is not null;

-- name: insert_uses(file_ids, abouts, now)!
with held as (
  update pabal.file set loose_at = null where id = any(:file_ids::bigint[]) and loose_at is not null and doomed_at is null)
insert into pabal.file_use (file_id, about, created_at)
select g.file_id, g.about, :now from unnest(:file_ids::bigint[], :abouts::text[]) as g(file_id, about)
cross join lateral (select f.id from pabal.file f where f.id = g.file_id and f.doomed_at is null offset 0) f
order by g.file_id, g.about
on conflict do nothing;

-- name: delete_uses(abouts, now)!
with gone as (delete from pabal.file_use where about = any(:abouts::text[]) returning file_id)
update pabal.file f set loose_at = :now where f.id in (select file_id from gone) and f.loose_at is null
  and not exists (select from pabal.file_use u where u.file_id = f.id and u.about <> all(:abouts::text[]));

-- name: delete_use(file_id, about)!
delete from pabal.file_use where file_id = :file_id and about = :about;

-- name: loosen_file(id, now)!
update pabal.file set loose_at = :now
where id = :id and loose_at is null and not exists (select from pabal.file_use where file_id = :id);

-- name: list_uses(file_id)
select about from pabal.file_use where file_id = :file_id order by about;

-- name: doom_file(id, now)!
update pabal.file set doomed_at = :now where id = :id;

-- name: hand_over(units, heir, now)!
-- unit: of units that go, whoever looks
-- nothing refers to them: nobody sees them from here on, and the sweep finds them at a unit that stays
update pabal.file f set unit_id = :heir, doomed_at = coalesce(f.doomed_at, :now)
where f.unit_id = any(:units::bigint[]) and not exists (select from pabal.file_use u where u.file_id = f.id);

-- name: doom_loose(now, before, most)!
update pabal.file set doomed_at = :now
where id in (select id from pabal.file
             where loose_at <= :before and doomed_at is null and (keep_until is null or keep_until <= :now)
             order by loose_at limit :most for update skip locked);

-- name: list_doomed(most)
select id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
       made_by, created_at, keep_until
from pabal.file where doomed_at is not null order by id limit :most;

-- name: delete_doomed(ids)!
delete from pabal.file where id = any(:ids::bigint[]) and doomed_at is not null;

-- name: list_strays(ids, before)
-- old ids that are nobody's: an upload that never became a file, or a file that is gone
select given.id from unnest(:ids::bigint[]) as given (id)
where given.id < pabal.id_at(:before::timestamptz) and not exists (select from pabal.file f where f.id = given.id);

-- name: list_to_move(store, after, most)
-- unit: every unit's, as the whole house moves
select id, unit_id, key, thumbnail_key, name, media_type, size, sha256, width, height, frames,
       made_by, created_at, keep_until
from pabal.file where store <> :store and id > :after and doomed_at is null order by id limit :most;

-- name: point_to(id, store)!
update pabal.file set store = :store where id = :id and doomed_at is null;

-- name: list_moved(ids, store)
select id from pabal.file where id = any(:ids::bigint[]) and store = :store;

-- name: count_by_store()
select store, count(*) as files, coalesce(sum(size), 0)::bigint as bytes from pabal.file where doomed_at is null
group by store order by store;
