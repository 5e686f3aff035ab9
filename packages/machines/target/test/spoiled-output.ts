import { type Readable, Transform } from 'node:stream'

/** Ends an output after 700 bytes, as if it were complete. */
export function cut(output: Readable): Readable {
  let left = 700
  return output.pipe(
    new Transform({
      transform(chunk: Buffer, _, done) {
        const part = chunk.subarray(0, left)
        left -= part.length
        done(null, part)
      },
    }),
  )
}

/** Breaks an output off in the middle. */
export function broken(output: Readable): Readable {
  output.once('data', () => output.destroy())
  return output
}

/** Changes a byte of an output wherever it contains a text. */
export function damaged(text: string): (output: Readable) => Readable {
  return (output) =>
    output.pipe(
      new Transform({
        transform(chunk: Buffer, _, done) {
          const place = chunk.indexOf(text)
          if (place >= 0) chunk[place] = 0x57
          done(null, chunk)
        },
      }),
    )
}
