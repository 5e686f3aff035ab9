import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isExhaustive } from '@davit/testing/effort'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { runtimePart } from '../src/runtime-script.ts'

const PARTS = ['common', 'state'].map(runtimePart).join('\n')
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)

describe.each(shells)('states in %s', (...shell) => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-state-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const [program = '', ...options] = shell
  const run = (script: string) => {
    const text = `${PARTS}\nd='${directory}'\n${script}`
    const result = spawnSync(program, [...options, '-c', text], { encoding: 'utf8' })
    return result.stdout
  }
  const file = () => readFileSync(join(directory, 'state'), 'utf8')

  test('take the place of each other on the disk', () => {
    const script =
      'for s in activating active deactivating; do write_state $d $s; read_state $d; echo "$line"; ls -i $d/state; done'
    const [, first, , second, , third] = run(script).split('\n')
    expect([second, third]).toEqual([first, first])
    expect(file()).toMatch(/^deactivating\n-*\n$/)
    expect(file()).toHaveLength(16)
  })

  test.each(['active\n', 'active\nating\n', 'deactivating\n', '', 'x'.repeat(100)])(
    'replace a state of another length: %j',
    (old) => {
      writeFileSync(join(directory, 'state'), old)
      run('mv() { echo "$2" >$d/moved; command mv "$@"; }; write_state $d deactivating')
      expect([file(), readFileSync(join(directory, 'moved'), 'utf8')]).toEqual([
        'deactivating\n--\n',
        `${directory}/state.new\n`,
      ])
    },
  )

  test('are read as they are if they are those of another version', () => {
    expect(run('write_state $d sleeping; read_state $d; echo "$line"')).toBe('sleeping\n')
  })

  test('are read again while they are a mixture of two', () => {
    const script = `tries=0
      first_line() { if [ "$tries" -lt 3 ]; then line=acactivating; else line=active; fi; }
      read_state $d; echo "$line"`
    expect(run(script)).toBe('active\n')
  })

  test('are read again if the mixture is a third one, as of suspended and activating', () => {
    const script = `is_state() { :; }
      first_line() { if [ "$tries" = 0 ]; then line=suspending; else line=activating; fi; }
      read_state $d; echo "$line"`
    expect(run(script)).toBe('activating\n')
  })

  test('are read as a whole while they are written', () => {
    const reads = program === 'dash' || isExhaustive ? 20_000 : 4_000
    const script = `sync() { :; }
      write_state $d active
      while [ ! -e $d/end ]; do write_state $d deactivating; write_state $d active; done &
      count=0
      while [ "$count" -lt ${reads} ]; do
        read_state $d
        case $line in active | deactivating) ;; *) echo "$line" ;; esac
        count=$((count + 1))
      done
      : >$d/end
      wait`
    expect(run(script)).toBe('')
  })
})
