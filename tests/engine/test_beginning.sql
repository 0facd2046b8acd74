-- name: insert_in(states, start_at, end_at)
insert into example.ad_group (state, start_at, end_at)
select s, :start_at::timestamptz, :end_at::timestamptz from unnest(:states::text[]) as s returning id, state;
