import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { isRefusedProperty } from '@davit/normalization/testing'
import { encodeField } from '@davit/target-runtime'
import { isThorough, sampleOf } from '@davit/testing/effort'
import { installedShells } from '@davit/testing/shells'
import { noStrace, stracing } from '@davit/testing/system-calls'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import { askServices, askStatuses, observeMachine, performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

const directories: string[] = []
afterAll(() => {
  closeScenes()
  for (const directory of directories) removeTree(directory)
})

/** Names with a meaning for a shell, or for the script that calls modules. */
const NAMES =
  `_ UID EUID PPID SHELLOPTS BASHOPTS BASH BASHPID BASH_VERSINFO BASH_VERSION BASH_ENV BASH_ALIASES BASH_ARGC BASH_ARGV
  BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_COMPAT BASH_LINENO BASH_REMATCH BASH_SOURCE BASH_SUBSHELL BASH_XTRACEFD CDPATH COLUMNS LINES
  COMP_CWORD COMP_LINE COMP_POINT COMP_WORDBREAKS COMP_WORDS COPROC DIRSTACK EDITOR ENV EPOCHREALTIME EPOCHSECONDS EXECIGNORE FCEDIT
  FUNCNAME FUNCNEST GLOBIGNORE GROUPS HISTCMD HISTCONTROL HISTFILE HISTSIZE HOME HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC LANG LANGUAGE
  LC_ALL LC_CTYPE LC_MESSAGES LD_PRELOAD LINENO LOGNAME MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE
  PATH PIPESTATUS POSIXLY_CORRECT PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PWD RANDOM READLINE_LINE REPLY SECONDS SHELL SHLVL SRANDOM TERM
  TIMEFORMAT TMOUT TMPDIR TZ USER auto_resume histchars ignoreeof DAVIT_KEY DAVIT_LOG_DIR DAVIT_PROFILE DAVIT_RUN_DIR DAVIT_SERVICE
  DAVIT_STATE_DIR DAVIT_TARGET DYSNOMIA_STATEDIR davit_activity davit_container davit_directory davit_module davit_package davit_runtime
  davit_state davit_target decoded directory field identity line log module name port property self state status target value word
  export exec shift unset`.split(/\s+/)

const shells = installedShells()

/** Those names, and variables that the shells of this machine set. */
const KNOWN = [...new Set([...NAMES, ...shells.flatMap(({ program }) => variablesOf(program))])]

function variablesOf(program: string): readonly string[] {
  const { stdout } = spawnSync(program, ['-c', 'set'], { env: {}, encoding: 'utf8' })
  return [...stdout.matchAll(/^([A-Za-z_]\w*)=/gm)].flatMap(([, name = '']) => name)
}

/** Text that a shell could evaluate as arithmetic. */
const TRAP = 'a[$(>canary)]'

describe.concurrent.each(shells)('container properties on a machine with $name', (shell) => {
  const withProperties = (scene: Scene, properties: ReadonlyMap<string, string>) => {
    const request = scene.request('activate')
    const { definition } = request
    if (definition === undefined) throw new Error('there is no definition')
    return { ...request, definition: { ...definition, properties } }
  }
  const names = KNOWN.filter((name) => !isRefusedProperty(name))

  // Modules of one machine usually run in its own shell.
  const ofModules = shells.filter(({ name }) => shell.inDepth || name === shell.name)
  test.each(ofModules)('reach a module in $name unchanged, unless they are refused', async ({ program }) => {
    const scene = await Scene.open(shell)
    const tell = names.map((name) => `printf '${name}=%s\\0' "$${name}" >>"$0.told"`)
    const module = scene.module('')
    writeFileSync(module, `#!${program}\n[ "$1" = activate ] || exit 0\n${tell.join('\n')}\n`)
    const values = fc.oneof(fc.constantFrom('', '5', '-1', '/usr', 'C', 'x y', TRAP, 'a\n', '\\', '1abc'), fc.string())
    const value = values.filter((text) => !text.includes('\0') && text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: names.length, maxLength: names.length }), async (texts) => {
        const properties = new Map(names.map((name, index) => [name, texts[index] ?? '']))
        rmSync(`${module}.told`, { force: true })
        expect(await performActivity(scene.machine, withProperties(scene, properties))).toEqual({ kind: 'succeeded' })
        const told = readFileSync(`${module}.told`, 'utf8').split('\0').slice(0, -1)
        expect(told).toEqual(Array.from(properties, ([name, text]) => `${name}=${text}`))
        expect(await performActivity(scene.machine, scene.request('deactivate'))).toEqual({ kind: 'succeeded' })
      }),
      { numRuns: 5 },
    )
  })

  const refused = KNOWN.filter(isRefusedProperty)
  const ownVariables = variablesOf(shell.program)
  const tried = new Set([...refused.filter((name) => ownVariables.includes(name)), ...sampleOf(refused, 8)])
  const values = isThorough ? [TRAP, '5'] : [TRAP]
  test.each(values)('with a forbidden name do not keep a service from being stopped: %s', async (value) => {
    const scene = await Scene.open(shell)
    const module = scene.module('echo "$1" >>"$D/calls"', ['activate', 'deactivate', 'lock', 'unlock', 'status'])
    await performActivity(scene.machine, scene.request('activate', module))
    const active = scene.path('active')
    cpSync(scene.record, active, { recursive: true })
    for (const name of [KNOWN, ...tried]) {
      rmSync(scene.record, { recursive: true, force: true })
      cpSync(active, scene.record, { recursive: true })
      const fields = [name].flat().map((one) => `property.${one} ${encodeField(value)}\n`)
      appendFileSync(join(scene.record, 'record'), fields.join(''))
      rmSync(scene.path('calls'))
      const asked = Array.isArray(name)
        ? (['lock', 'unlock', 'status', 'deactivate'] as const)
        : (['deactivate'] as const)
      for (const activity of asked) {
        const { definition: _definition, ...request } = scene.request('deactivate')
        const questions = { ...request, target: request.mapping.target, mappings: [request.mapping], atATime: 1 }
        const work = {
          deactivate: async () => [await performActivity(scene.machine, request)],
          lock: () => askServices(scene.machine, { ...questions, activity: 'lock' }),
          unlock: () => askServices(scene.machine, { ...questions, activity: 'unlock' }),
          status: () => askStatuses(scene.machine, { ...questions, timeoutSeconds: 30 }),
        }
        const answer = activity === 'status' ? 'runs' : { kind: 'succeeded' }
        expect([name, activity, await work[activity]()]).toEqual([name, activity, [answer]])
      }
      expect([name, scene.read('calls')]).toEqual([name, asked.map((activity) => `${activity}\n`).join('')])
      expect((await observeMachine(scene.machine, scene.profile)).records).toEqual([])
    }
    expect([scene.has('canary'), spawnSync('test', ['-e', '/canary']).status]).toEqual([false, 1])
  })

  test.runIf(shell.inDepth && !(noStrace !== undefined))(
    'are never an argument of a program, which everybody can see',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'davit-traced-'))
      directories.push(directory)
      const [within, calls] = [join(directory, 'within'), join(directory, 'calls')]
      writeFileSync(within, `#!/bin/sh\nexec ${stracing(calls, 'execve').join(' ')} "$@"\n`, { mode: 0o755 })
      const scene = await Scene.open(shell, { within })
      scene.module('printf %s "$password" >"$D/told"')
      const request = withProperties(scene, new Map([['password', 'opensesame']]))
      expect(await performActivity(scene.machine, request)).toEqual({ kind: 'succeeded' })
      expect(scene.read('told')).toBe('opensesame')
      expect(readFileSync(calls, 'utf8')).toContain('/module"')
      expect(readFileSync(calls, 'utf8')).not.toContain('opensesame')
    },
  )
})
