import type { Readable } from 'node:stream'

import { readLines } from './answer-lines.ts'

/** How long a machine may take to start a shell. */
export const START_SECONDS = 30
const MAX_GREETING_LINES = 2_000
const MAX_GREETING_CHARACTERS = 1024 * 1024

export interface Greeting {
  /** Lines that were printed before the marker. */
  readonly greeting: readonly string[]
  /** Resolves with true at the marker, and with false if the greeting is too long to have an end. */
  readonly found: Promise<boolean>
}

/** Calls `take` for each line after the marker. */
export function readGreeting(output: Readable, marker: string, take: (line: string) => void): Greeting {
  const greeting: string[] = []
  let length = 0
  const found = new Promise<boolean>((resolve) => {
    let takeLine = (line: string) => {
      if (line === marker) {
        takeLine = take
        return resolve(true)
      }
      length += line.length
      if (length > MAX_GREETING_CHARACTERS || greeting.push(line) > MAX_GREETING_LINES) resolve(false)
    }
    readLines(output, (line) => takeLine(line))
  })
  return { greeting, found }
}
