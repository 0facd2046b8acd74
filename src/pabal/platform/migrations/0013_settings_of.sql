-- What somebody changed of one area's settings: for statements of that area's owner that must be quick. Everything else asks by key.
create function pabal.settings_of(area text) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, value), '{}'::jsonb) from pabal.setting where starts_with(key, area || '.') and value is not null
$$;
