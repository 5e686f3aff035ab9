import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Connection } from '@davit/connection'
import { shellConnection } from '@davit/connection/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import type { Shell } from '@davit/testing/shells'

import type { Client } from '../src/client-interface.ts'

export interface Scene {
  readonly directory: string
  /** DYSNOMIA_STATEDIR of the machine. */
  readonly store: string
  readonly client: Client
  /** Returns what was printed since the last call, and what was told on standard error. */
  take(): { readonly printed: string; readonly said: string }
  /** Makes a file below the directory, and its directories. */
  write(path: string, text: string, mode?: number): string
  /** Another client of the same machine. */
  over(connection: Client['connection'], signal?: AbortSignal): Client
}

/** A machine with this shell. */
export function sceneOf(shell: Shell, environment: Readonly<Record<string, string>> = {}): Scene {
  const directory = scratchDirectory()
  const store = join(directory, 'dysnomia')
  const around = { DYSNOMIA_STATEDIR: store, TMPDIR: directory, ...environment }
  return sceneOver(shellConnection(shell, directory, { environment: around }), directory)
}

export function sceneOver(connection: Connection, directory: string): Scene {
  let printed = ''
  let said = ''
  const over = (other: Connection, signal = new AbortController().signal): Client => ({
    connection: other,
    signal,
    environment: { TMPDIR: directory },
    print: async (content) => void (printed += Buffer.from(content).toString()),
    complain: (line) => void (said += `${line}\n`),
  })
  return {
    directory,
    store: join(directory, 'dysnomia'),
    client: over(connection),
    over,
    take() {
      const taken = { printed, said }
      printed = said = ''
      return taken
    },
    write(path, text, mode = 0o644) {
      const file = join(directory, path)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, text)
      chmodSync(file, mode)
      return file
    },
  }
}
