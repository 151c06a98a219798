#!/usr/bin/env bash
# Builds images of the services without a registry, from Debian packages and the jars of the local broker.
#   build-images.sh JARS     with docker pointing at an engine, as root (debootstrap needs it)
set -euo pipefail
jars=$(realpath "$1")
cd "$(dirname "$0")"
# The classic builder, which every engine has; BuildKit is a plugin that may be missing.
export DOCKER_BUILDKIT=0

if ! docker image inspect tenantscope/debian:12 >/dev/null 2>&1; then
  root=$(mktemp -d -p /var/tmp)
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >&2
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  tar -C "$root" -c . | docker import - tenantscope/debian:12
fi

# The network of the host, for its name resolution.
docker build --network=host --tag tenantscope/postgres:15 postgres
docker build --network=host --tag tenantscope/redis:7 redis
tar -c -C "$PWD/kafka" Dockerfile start bin -C "$PWD/../local/kafka" log4j2.properties --transform 's,^\./,jars/,' -C "$jars" . | docker build --network=host --tag tenantscope/kafka:4.1 -
