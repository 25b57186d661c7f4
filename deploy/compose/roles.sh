#!/bin/sh
# Runs once, when the database's folder is empty: the roles of the product and its database, with the passwords of the
# secret files. The statements are those of docs/operations.md, which a test compares.
set -eu
owner=$(cat /run/secrets/database-owner-password)
application=$(cat /run/secrets/database-application-password)
worker=$(cat /run/secrets/database-worker-password)

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set owner="$owner" --set application="$application" --set worker="$worker" <<'SQL'
create role policy_guard_owner nosuperuser nocreatedb nocreaterole noreplication nobypassrls login password :'owner';
create role policy_guard_app nosuperuser nocreatedb nocreaterole noreplication nobypassrls login password :'application';
create role policy_guard_worker nosuperuser nocreatedb nocreaterole noreplication nobypassrls login password :'worker';
create role policy_guard_lookup nosuperuser nocreatedb nocreaterole noreplication nobypassrls nologin;
grant policy_guard_worker to policy_guard_owner with inherit false, set true;
grant policy_guard_lookup to policy_guard_owner with inherit false, set true;
create database policy_guard template template0 encoding 'UTF8';
alter database "policy_guard" owner to policy_guard_owner;
revoke all on database "policy_guard" from public;
grant connect on database "policy_guard" to policy_guard_app;
grant connect, create on database "policy_guard" to policy_guard_worker;
SQL
