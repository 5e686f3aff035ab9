/** The tools that davit-env calls. */
export const TOOLS = ['normalize', 'delegate-build', 'manifest', 'distribute', 'lock', 'activate', 'set', 'generations']

/**
 * Stands in for every tool: records its arguments and its variables. `FAIL_x` is the status of step x, and `FAIL_check` that of
 * davit-activate --check. Stand-ins that react to signals use Node, like the real tools: the shell starts its steps with SIGINT
 * ignored.
 */
export const TOOL = `#!/bin/bash
name=\${0##*/davit-}
{ printf '%s' "$name"; printf ' <%s>' "$@"; echo; } | sed "s|$TMPDIR/davit-env[^/]*|TEMPORARY|g" >>"$TRACE"
printf '%s\\n' "$name \${DAVIT_PROFILE-} \${DAVIT_MAX_CONCURRENT_TRANSFERS-} \${DAVIT_CLIENT_INTERFACE-} \${DAVIT_USE_SUBSTITUTES-}" >>"$TRACE.environment"
printf '%s\\n' "$name \${DAVIT_ACTIVITY_TIMEOUT-} \${DAVIT_SKIP_UNREACHABLE-}" >>"$TRACE.care"
printf '%s\\n' "$name \${DAVIT_QUIET-} \${DAVIT_VERBOSE-} \${DAVIT_LOG_FORMAT-} \${DAVIT_DEBUG-}" >>"$TRACE.messages"
printf '%s\\n' "$DAVIT_RUN" >>"$TRACE.run"
case " $* " in
  *' --check '*) exit "\${FAIL_check:-0}" ;;
esac
if [ "$name" = lock ] || [ "$HANG" = "$name" ]; then exec "$NODE" "\${0%/*}/$([ "$name" = lock ] && echo lock || echo hang).mjs" "$@"; fi
echo "output of $name"
fail=FAIL_\${name/-/_}
exit "\${!fail:-0}"
`

export const LOCK = `import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const [program, ...args] = process.argv.slice(process.argv.indexOf('--') + 1)
const child = spawn(program, args, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (status) => {
  appendFileSync(process.env.TRACE, 'unlock\\n')
  process.exit(status ?? 1)
})
`

export const HANG = `import { appendFileSync, writeFileSync } from 'node:fs'
const { TRACE, STOPPED = '143' } = process.env
const stop = (word, status) => () => {
  appendFileSync(TRACE, word + '\\n')
  process.exit(status)
}
process.on('SIGTERM', stop('stopped', Number(STOPPED)))
process.on('SIGINT', stop('interrupted', 130))
writeFileSync(TRACE + '.hanging', '')
setInterval(() => {}, 1000)
`
