#!/bin/sh
# Adds the user of the server to the image. Everything else in the image belongs to root and is not writable by the server.
set -eu
useradd --uid 1000 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin agmd
install -d -o agmd -g agmd -m 700 /data
