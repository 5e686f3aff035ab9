import { randomBytes } from 'node:crypto'
import { Transform } from 'node:stream'

import { DavitError, ExitStatus } from '@davit/diagnostics'

/** How much a login shell may print before a script of davit starts. */
const MAX_GREETING_BYTES = 1024 * 1024

/** Returns a line that nothing but a script of davit prints. */
export function newMarker(): string {
  return `davit-${randomBytes(12).toString('hex')}`
}

/** Passes on everything after the marker line; `started` resolves with false if the stream ends without one. */
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
  return new DavitError('no-answer', 'a target prints endless output instead of an answer', {
    exitStatus: ExitStatus.unreachable,
    hint: 'check what its login shell prints when it starts',
  })
}
