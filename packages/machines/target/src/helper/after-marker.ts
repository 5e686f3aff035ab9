import { Transform } from 'node:stream'

import { DavitError, ExitStatus } from '@davit/diagnostics'

/** A login shell may print this much before a script of ours begins. */
const MAX_GREETING_BYTES = 1024 * 1024

/** Lets through what comes after the line that is the marker; `started` is false when there was none. */
export function afterMarker(marker: string): { readonly filter: Transform; readonly started: Promise<boolean> } {
  const line = Buffer.from(`\n${marker}\n`)
  let greeting: Buffer | undefined = Buffer.alloc(0)
  let start: (found: boolean) => void = () => {}
  const filter = new Transform({
    transform(chunk: Buffer, _, done) {
      if (greeting === undefined) return done(null, chunk)
      greeting = Buffer.concat([greeting, chunk])
      const place = greeting.indexOf(line)
      if (place < 0) return greeting.length > MAX_GREETING_BYTES ? done(endlessGreeting()) : done()
      const rest = greeting.subarray(place + line.length)
      greeting = undefined
      start(true)
      return done(null, rest)
    },
    flush(done) {
      start(false)
      done()
    },
  })
  const started = new Promise<boolean>((resolve, reject) => {
    start = resolve
    filter.once('error', reject)
  })
  return { filter, started }
}

function endlessGreeting(): DavitError {
  return new DavitError('no-answer', 'a target prints without end, and does not answer', {
    exitStatus: ExitStatus.unreachable,
    hint: 'look at what its login shell prints',
  })
}
