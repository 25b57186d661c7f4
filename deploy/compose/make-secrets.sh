#!/bin/sh
# Makes the secrets of compose.yaml in the folder secrets/ beside this file, once: files that exist stay as they are.
set -eu
cd "$(dirname "$0")"
# Whoever may enter the folder may read the files in it: the containers read them as users of their own.
mkdir -p secrets
chmod 0700 secrets
umask 022
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"; }

for login in superuser owner application worker; do keep "database-$login-password" "$(random 24)"; done
keep master-key "$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
url() { printf 'postgresql://policy_guard_%s:%s@postgres:5432/policy_guard' "$1" "$(cat "secrets/database-$2-password")"; }
keep database-migration-url "$(url owner owner)"
keep database-url "$(url app application)"
keep database-worker-url "$(url worker worker)"
# The runtime's token is made in the console, by the organization that it belongs to.
[ -e secrets/runtime-token ] || : >secrets/runtime-token
