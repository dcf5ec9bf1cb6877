#!/bin/sh
# Adds the user of the server, and its folder /data, to the image. All other files belong to root, and the server cannot write to them.
set -eu
useradd --uid 1000 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin agmd
install -d -o agmd -g agmd -m 700 /data
