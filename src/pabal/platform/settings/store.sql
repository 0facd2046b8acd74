-- name: find_values(keys)
select key, value from pabal.setting where key = any(:keys::text[]) and value is not null;

-- name: list_rows(key)
select key, value, version, changed_at, changed_by, changed_by_label from pabal.setting
where (:key::text is null or key = :key) order by key;

-- name: lock_row(key)
-- makes the row if nobody ever touched the setting, so that two who change it first meet here
insert into pabal.setting (key) values (:key) on conflict (key) do update set key = excluded.key
returning key, value, version, changed_at, changed_by, changed_by_label;

-- name: update_row(key, value, now, by, label)!
update pabal.setting
set value = :value, version = version + 1, changed_at = :now, changed_by = :by, changed_by_label = :label
where key = :key;
