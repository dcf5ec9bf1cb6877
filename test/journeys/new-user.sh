#!/bin/sh
# The journey of a new user: installing the client, signing in, writing, resolving a conflict, and requesting and closing a review.
# It needs three variables: BASE is the address of a running service, HOME is an empty folder, and APPROVE is a program that approves a login.
# The program receives the address of the login as its argument.
# The test test/spec/journey.test.ts runs this script. By hand: HOME=$(mktemp -d) BASE=http://localhost:8080 APPROVE=xdg-open sh test/journeys/new-user.sh
set -eu

step() {
  printf '\n== %s\n' "$1"
}

# Runs a command, which must end with the given exit code.
expect() {
  wanted=$1
  shift
  set +e
  "$@"
  found=$?
  set -e
  [ "$found" = "$wanted" ] || { printf 'exit code %s instead of %s: %s\n' "$found" "$wanted" "$*" >&2; exit 1; }
}

# Prints a field of the JSON object on the standard input. Example: `field task.id`.
field() {
  node -e 'let s="";process.stdin.on("data",c=>s+=c).on("end",()=>console.log(process.argv[1].split(".").reduce((o,k)=>o[k],JSON.parse(s))))' "$1"
}

main() {
  cd "$HOME"

  step 'install from the running service'
  curl -fsSL "$BASE/install.sh" | sh
  PATH="$HOME/.local/bin:$PATH"
  agmd --version
  agmd doctor

  step 'sign in'
  agmd login --json >login.json &
  login=$!
  while [ ! -s login.json ]; do sleep 0.1; done
  "$APPROVE" "$(head -n 1 login.json | field verification_uri_complete)"
  wait "$login"
  agmd auth status

  step 'write a document'
  mkdir ana ben
  printf '# Plan\n\nFirst: think.\n\nSecond: write.\n\nThird: rest.\n' >ana/plan.md
  url=$(agmd docs create -f ana/plan.md)
  agmd docs list

  step 'give Ben a link; he pulls, and changes the end'
  link=$(agmd share create "$url" edit --label Ben)
  agmd docs pull "$link" -o ben/plan.md --author Ben
  sed 's/rest/read it again/' ben/plan.md >new && mv new ben/plan.md
  agmd docs diff ben/plan.md
  agmd docs push ben/plan.md --author Ben

  step 'Ana changed the beginning: her push is refused, and merged when she says so'
  sed 's/think/think twice/' ana/plan.md >new && mv new ana/plan.md
  expect 5 agmd docs push ana/plan.md
  agmd docs push ana/plan.md --merge
  grep -q 'think twice' ana/plan.md
  grep -q 'read it again' ana/plan.md

  step 'both change the same line: the file gets both, and she settles it'
  agmd docs pull ben/plan.md
  sed 's/Second: write/Second: write short/' ben/plan.md >new && mv new ben/plan.md
  agmd docs push ben/plan.md --author Ben
  sed 's/Second: write/Second: write clearly/' ana/plan.md >new && mv new ana/plan.md
  expect 5 agmd docs push ana/plan.md
  expect 5 agmd docs push ana/plan.md --merge
  expect 5 agmd docs push ana/plan.md
  sed -e '/^<<<<<<</d' -e '/^|||||||/,/^>>>>>>>/d' -e 's/write clearly/write short and clearly/' ana/plan.md >new && mv new ana/plan.md
  agmd docs push ana/plan.md --label 'settled'
  agmd docs cat "$url"

  step 'ask for a review'
  agmd tasks create ana/plan.md --title 'Check the plan' -m 'Is anything missing?' --json >task.json
  review=$(field task.share.url <task.json)
  task=$(field task.id <task.json)

  step 'the reviewer, with that link alone'
  export AGMD_AUTHOR=Cleo
  agmd tasks get "$review"
  agmd tasks start "$review"
  version=$(agmd docs cat "$review" --json | field version)
  comment=$(agmd comments add "$review" --find 'think twice' -m 'About what?')
  suggestion=$(agmd suggestions add "$review" insert --line 7 --at after --text 'Fourth: celebrate.' -m 'Missing.')
  agmd tasks report "$review" --reviewed-version "$version" -m 'One question, one addition.' --comment-ids "$comment" --suggestion-ids "$suggestion"
  expect 4 agmd docs append "$review" --text 'not mine to write'
  unset AGMD_AUTHOR

  step 'accept, answer, close'
  agmd suggestions decide "$url" "$suggestion" accept
  agmd comments reply "$url" "$comment" -m 'About the reader.'
  agmd comments resolve "$url" "$comment"
  agmd tasks close "$url" "$task"
  agmd docs pull ana/plan.md
  grep -q 'celebrate' ana/plan.md
  agmd tasks get "$url" "$task" --json | field task.status

  step 'leave'
  agmd logout
  expect 4 agmd docs list
  printf '\nall well\n'
}

main "$@"
