-- Links that set a new password.

alter table one_time_links drop constraint one_time_links_purpose_check;
alter table one_time_links add constraint one_time_links_purpose_check
  check (purpose in ('set-up', 'sign-in', 'invitation', 'password-reset'));
-- The owner who created a link for a member, and must still be allowed to when it is used. Null: the operator.
alter table one_time_links add column made_by text collate "C" references users on delete cascade;
create index one_time_links_by_subject on one_time_links (subject);
