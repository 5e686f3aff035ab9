import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { Stateful } from './stateful.ts'

/** A component that is a database, in a directory with the name of the database. */
export class Database extends Stateful {
  readonly name: string
  override readonly component: string

  constructor(shell: Shell, module: string, { name, seeds = {}, properties = {} }: DatabaseOptions) {
    super(shell, module, { properties: { timeout: '20', ...properties } })
    this.name = name
    this.component = join(this.directory, 'packages', name)
    mkdirSync(this.component, { recursive: true })
    // Servers may read components as users of their own.
    for (const path of [dirname(this.directory), this.directory]) chmodSync(path, 0o755)
    for (const [path, text] of Object.entries(seeds)) this.write(join(this.component, path), text)
  }

  /** Makes a snapshot of these files by hand. */
  handMade(files: Readonly<Record<string, string | Uint8Array>>): string {
    const snapshot = mkdtempSync(join(this.directory, 'hand-made-'))
    for (const [path, content] of Object.entries(files)) writeFileSync(join(snapshot, path), content)
    return snapshot
  }
}

interface DatabaseOptions {
  readonly name: string
  readonly seeds?: Readonly<Record<string, string>>
  readonly properties?: Readonly<Record<string, string>>
}

/** The argument lists of all processes, at this moment. */
export function argumentLists(): string {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.map((pid) => argumentsOf(pid)).join('\n')
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
