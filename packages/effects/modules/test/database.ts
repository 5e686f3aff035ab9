import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Shell } from '@davit/testing/shells'
import { PATIENCE_SECONDS } from '@davit/testing/wait'

import { Stateful } from './stateful.ts'

/** A component that is a database, in a directory with the name of the database. */
export class Database extends Stateful {
  readonly name: string
  override readonly component: string

  constructor(shell: Shell, module: string, { name, seeds = {}, properties = {} }: DatabaseOptions) {
    super(shell, module, { properties: { timeout: String(PATIENCE_SECONDS), ...properties } })
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

/** Looks again and again at the argument lists of processes that begin from now on. What it returns ends that, and returns what it has seen. */
export function watchArguments(): () => string {
  const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const others = new Set(pids())
  let seen = ''
  const look = () => {
    for (const pid of pids()) if (!others.has(pid)) seen += `${argumentsOf(pid)}\n`
  }
  const looking = setInterval(look, 20)
  return () => {
    clearInterval(looking)
    return seen
  }
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
