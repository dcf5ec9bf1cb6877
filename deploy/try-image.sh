#!/bin/sh
# Builds the image's content, installs it into a minimal Debian in a folder, and runs the server there with a read-only root. It is for machines
# without a container engine. Run: try-image.sh WORK_FOLDER. It needs root, debootstrap, Node 24 with npm, strip and curl, and takes about two minutes.
set -eu
sources=$(cd "$(dirname "$0")/.." && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
root=$work/root
port=${AGMD_PORT:-18080}
say() { printf '%s\n' "try-image: $*"; }

mkdir -p "$work/build" "$work/data"
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log"
# The image debian:bookworm-slim has no documentation, translations, package lists or downloaded packages.
rm -rf "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/* "$root"/usr/share/info/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
base=$(du -sb "$root" | cut -f1)

git -C "$sources" archive HEAD | tar x -C "$work/build"
(cd "$work/build" && sh deploy/image-build.sh "$work/out") >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; exit 1; }
cp -R "$work/out/." "$root/"
[ -d "$root/data" ] || chroot "$root" sh /opt/agmd/image-finish.sh
say "image: $((($(du -sb "$root" | cut -f1)) / 1000000)) MB, of which Debian $((base / 1000000)) MB"

# The server runs in its own mount namespace, so nothing stays mounted when the script ends.
cat >"$work/run.sh" <<END
set -eu
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --bind "$work/data" "$root/data"
chown 1000:1000 "$work/data"
exec chroot --userspec=1000:1000 "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production AGMD_HOST=127.0.0.1 AGMD_PORT=$port AGMD_DATA_DIR=/data "\$@"
END
unshare --mount sh "$work/run.sh" agmd-server >"$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for second in $(seq 1 30); do curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null 2>&1 && break || sleep 1; done
curl -fsS "http://127.0.0.1:$port/readyz" >/dev/null || { cat "$work/server.log"; exit 1; }
unshare --mount sh "$work/run.sh" agmd-healthcheck
say "the server runs as user $(stat -c %u "$work/data/instance.json") and answers; the health check succeeds"
curl -fsS -X POST "http://127.0.0.1:$port/new" -H 'Content-Type: application/json' -d '{"content":"# In the image\n"}' | grep -o '"url":"[^"]*"'
unshare --mount sh "$work/run.sh" agmd-server admin invite ana@example.org
kill -TERM "$server"
wait "$server" && say 'the server stopped with exit code 0'
trap - EXIT
