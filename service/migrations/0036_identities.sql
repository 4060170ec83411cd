-- One account per identity: the issuer and the subject of an OpenID Connect provider. The identity of a password is
-- `credential` and the id of the user.
create unique index accounts_by_identity on accounts (provider_id, account_id);
