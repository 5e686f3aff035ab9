/** A script with the status that it promises, for a program whose pid is in $SCENE/NAME.pid. */
export function serviceScript(name: string, command = 'sleep 1000'): string {
  return `#!/bin/sh
pid=$SCENE/${name}.pid
runs() { [ -e "$pid" ] && grep -q '^State:.[^ZX]' "/proc/$(cat "$pid")/status" 2>/dev/null; }
echo "${name} $1" >>"$SCENE/journal"
case $1 in
  start)
    runs || { ${command} >/dev/null 2>&1 & echo $! >"$pid"; }
    ;;
  stop)
    ! runs || kill "$(cat "$pid")"
    rm -f "$pid"
    ;;
  status)
    runs || exit 3
    ;;
  *) exit 2 ;;
esac
`
}

/** A script that knows neither \`status\` nor what it did before. */
export function plainScript(name: string): string {
  return `#!/bin/sh
echo "${name} $1" >>"$SCENE/journal"
case $1 in
  start) [ ! -e "$SCENE/${name}.runs" ] && touch "$SCENE/${name}.runs" ;;
  stop) rm "$SCENE/${name}.runs" ;;
esac
`
}
