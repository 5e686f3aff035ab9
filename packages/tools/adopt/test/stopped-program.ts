import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, expect } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { executables } from '../../../../scripts/executables.ts'
import type { Scene } from './scene.ts'

export interface Stop {
  /**
   * Who is killed before a write: davit-adopt or its helper before one on the target, or davit-adopt before one of its own (`coordinator`).
   * With `nobody`, a write on the target waits.
   */
  readonly victim: 'tool' | 'helper' | 'coordinator' | 'nobody'
  /** Number of the write, from 1; 0 lets all pass. */
  readonly at: number
}

export interface Ended {
  readonly status: number | null
  readonly stderr: string
  /** How many writes there were, as far as the program has lived to count them. */
  readonly writes: { readonly target: number; readonly coordinator: number }
}

/** Utilities with which the scripts of targets write. */
const UTILITIES = ['mv', 'ln', 'cp', 'mkdir', 'rm', 'sync']

const UTILITY = `#!/bin/sh
PATH=\${PATH#*:}
echo x >>"$WRITES/target"
if [ "$AT" != 0 ] && [ "$VICTIM" != coordinator ] && [ "$(wc -l <"$WRITES/target")" -ge "$AT" ] &&
  mkdir "$WRITES/once" 2>/dev/null
then
  pid=$PPID shells=
  while [ "$(readlink "/proc/$pid/exe")" != "$NODE" ]; do
    shells="$pid $shells"
    read -r _ _ _ parent _ <"/proc/$pid/stat" && pid=$parent
  done
  case $VICTIM in
    tool) kill -9 "$pid" ;;
    helper) kill -9 $shells ;;
    *) while [ ! -e "$WRITES/go" ]; do sleep 0.02; done ;;
  esac
fi
exec "\${0##*/}" "$@"
`

/** Counts what changes files, ends the process before the one that is wanted, and puts our utilities first in what it starts. */
const PRELOADED = `
const fs = require('node:fs')
const children = require('node:child_process')
const { WRITES, VICTIM, AT, SLOW } = process.env
const write = fs.writeFileSync
let count = 0
for (const [place, suffix] of [[fs, 'Sync'], [fs.promises, '']])
  for (const name of ['rename', 'open', 'writeFile', 'mkdir', 'symlink', 'link', 'unlink', 'rm']) {
    const real = place[name + suffix]
    place[name + suffix] = (...words) => {
      const reads = name === 'open' && [undefined, 'r', fs.constants.O_RDONLY].includes(words[1])
      if (!reads && ++count === Number(AT) && VICTIM === 'coordinator') process.kill(process.pid, 'SIGKILL')
      return real(...words)
    }
  }
const { spawn } = children
children.spawn = (program, words, options) => {
  const { PATH } = options.env ?? process.env
  return spawn(program, words, { ...options, env: { ...(options.env ?? process.env), PATH: SLOW + ':' + PATH } })
}
process.on('exit', () => write(WRITES + '/coordinator', String(count)))
`

/** davit-adopt as it is installed, which can be stopped between two writes. */
export class Programs {
  #directory = ''

  constructor() {
    beforeAll(async () => {
      this.#directory = mkdtempSync(join(tmpdir(), 'davit-adopt-programs-'))
      await bundleTools(executables([fileURLToPath(new URL('../', import.meta.url))]), this.#directory)
      mkdirSync(join(this.#directory, 'slow'))
      for (const name of UTILITIES) writeFileSync(join(this.#directory, 'slow', name), UTILITY, { mode: 0o755 })
      writeFileSync(join(this.#directory, 'preloaded.cjs'), PRELOADED)
    })
    afterAll(() => rmSync(this.#directory, { recursive: true, force: true }))
  }

  start(scene: Scene, { victim, at }: Stop = { victim: 'nobody', at: 0 }): StartedProgram {
    const writes = scratchDirectory()
    const { environment } = scene
    const child = spawn(
      process.execPath,
      [
        '-r',
        join(this.#directory, 'preloaded.cjs'),
        join(this.#directory, 'bin/davit-adopt.cjs'),
        scene.infrastructure,
      ],
      {
        env: {
          ...environment,
          SLOW: join(this.#directory, 'slow'),
          WRITES: writes,
          VICTIM: victim,
          AT: String(at),
          NODE: process.execPath,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    return new StartedProgram(child, writes)
  }
}

export class StartedProgram {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #writes: string
  #stderr = ''

  constructor(child: ChildProcess, writes: string) {
    this.#child = child
    this.#writes = writes
    child.stderr?.on('data', (chunk: Buffer) => void (this.#stderr += chunk.toString()))
    this.ended = once(child, 'exit').then(([status]: (number | null)[]) => ({
      status: status ?? null,
      stderr: this.#stderr,
      writes: { target: this.#read('target').split('\n').length - 1, coordinator: Number(this.#read('coordinator')) },
    }))
  }

  /** Waits until a write on the target waits. */
  async waiting(): Promise<void> {
    await until(() => existsSync(join(this.#writes, 'once')))
  }

  /** Waits until it has said something. */
  async said(text: string): Promise<void> {
    await until(() => expect(this.#stderr).toContain(text))
  }

  interrupt(): void {
    this.#child.kill('SIGINT')
  }

  /** Lets the write go on. */
  release(): void {
    writeFileSync(join(this.#writes, 'go'), '')
  }

  #read(name: string): string {
    const file = join(this.#writes, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
}
