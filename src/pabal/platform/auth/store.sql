-- name: find_user(id)
select id, unit_id, login, name, role, language, zone, theme, is_active, is_demo, password is not null as has_password,
  created_at, signed_in_at from pabal.user_account where id = :id;

-- name: find_login(login)
select id from pabal.user_account where login = :login;

-- name: hold_user(id)
-- whoever gives this user a key, or takes keys away, does so one after the other
select id, unit_id, login, name, role, language, zone, theme, is_active, is_demo, password is not null as has_password,
  created_at, signed_in_at from pabal.user_account where id = :id for no key update;

-- name: find_password(login)
select id, password from pabal.user_account where login = :login;

-- name: list_users(units, words, role, is_active, after, most)
select id, unit_id, login, name, role, language, zone, theme, is_active, is_demo, password is not null as has_password,
  created_at, signed_in_at from pabal.user_account
where login > :after
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:words::text is null or login like :words or name ilike :words)
  and (:role::text is null or role = :role) and (:is_active::boolean is null or is_active = :is_active)
order by login limit :most;

-- name: insert_user(unit_id, login, name, role, language, zone, theme, is_demo, now)
insert into pabal.user_account (unit_id, login, name, role, language, zone, theme, is_demo, created_at)
values (:unit_id, :login, :name, :role, :language, :zone, :theme, :is_demo, :now)
on conflict (login) do nothing returning id;

-- name: update_user(id, unit_id, name, role, is_active, language, zone, theme)!
update pabal.user_account set unit_id = :unit_id, name = :name, role = :role, is_active = :is_active,
  language = :language, zone = :zone, theme = :theme where id = :id;

-- name: update_password(id, seen, password)!
-- only if it is still the one that was looked at
update pabal.user_account set password = :password
where id = :id and password is not distinct from :seen;

-- name: clear_password(id)!
update pabal.user_account set password = null where id = :id;

-- name: note_sign_in(id, now)!
update pabal.user_account set signed_in_at = :now where id = :id;

-- name: hold_admins()
-- two administrators who remove each other do it one after the other
select pg_advisory_xact_lock(482952634734);

-- name: has_other_admin(unit_id, but, with_password)
-- unit: a promise about the HQ itself, whoever asks
select exists (select from pabal.user_account where unit_id = :unit_id and role = 'admin' and is_active and id <> :but
  and (password is not null or not :with_password::boolean));

-- name: find_first_admin(unit_id)
-- unit: as above
select id, unit_id, login, name, role, language, zone, theme, is_active, is_demo, password is not null as has_password,
  created_at, signed_in_at from pabal.user_account
where unit_id = :unit_id and role = 'admin' and is_active order by password is null, id limit 1;

-- name: delete_demo_users()!
delete from pabal.user_account where is_demo;
