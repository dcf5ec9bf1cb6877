#!/bin/sh
# Builds the content of the image: image-build.sh FOLDER writes the files of the image below FOLDER. Run it in the folder of the sources, with Node 24,
# npm and strip on the PATH. It replaces node_modules and dist.
set -eu
out=$1
npm ci
npm run build
node scripts/prune.ts .

install -d "$out/opt/agmd" "$out/usr/local/bin"
cp -R server shared docs dist node_modules package.json LICENSE deploy/image-finish.sh "$out/opt/agmd/"
# Node's symbols are a sixth of its size, and only debuggers need them.
strip -o "$out/usr/local/bin/node" "$(node -p process.execPath)"

cat >"$out/usr/local/bin/agmd-server" <<'END'
#!/bin/sh
# Help and messages name this command instead of npm start.
export AGMD_STARTED_AS=agmd-server
exec node /opt/agmd/dist/server/main.js "$@"
END
cat >"$out/usr/local/bin/agmd-healthcheck" <<'END'
#!/bin/sh
exec node -e 'fetch(`http://127.0.0.1:${process.env.AGMD_PORT ?? 8080}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'
END
chmod 755 "$out"/usr/local/bin/*
