import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { DavitError, ReportEvent } from '@davit/diagnostics'
import type { Manifest, ProfileName, ServiceKey, StorePath } from '@davit/documents'
import type { ToolContext } from '@davit/tool'
import { Machines } from '@davit/deployment/testing'

import { tool } from '../src/main.ts'

/** Ways in which a module fails, after its activity is half done; `NAME` is its activity and service. */
const FAULTS = {
  fails: 'echo "NAME: sorry"; exit 3',
  hangs: 'echo "NAME: hold on"; sleep 1000; exit 0',
  floods: 'yes "$(printf %04000d 7)" | head -c 3000000; echo; echo "NAME: enough"; exit 4',
  crashes: 'echo "NAME: ouch"; kill -KILL $$',
  drowns: 'while :; do yes "NAME: more" | head -n 5000; sleep 0.1; done',
} as const

export type Fault = keyof typeof FAULTS
/** Faults by activity and service, such as `activate b-2`. */
export type Faults = Readonly<Record<string, Fault>>

/** Far longer than an activity takes, even if all processors are busy. */
const LIMIT = 6
const WORDS = { fails: 'sorry', hangs: 'hold on', floods: 'enough', crashes: 'ouch', drowns: 'more' } satisfies Record<
  Fault,
  string
>
const LATE = `it took longer than ${LIMIT} seconds and was stopped`
const MESSAGES = {
  fails: 'its module ended with status 3',
  hangs: LATE,
  floods: 'its module ended with status 4',
  crashes: 'its module ended with status 137',
  drowns: LATE,
} satisfies Record<Fault, string>

/** Text about a fault in the report. */
export function reportOf(name: string, fault: Fault): { readonly message: string; readonly log: string } {
  const [activity, service = ''] = name.split(' ')
  const target = /^[ad]/.test(service) ? 'one' : 'two'
  const message = `cannot ${activity} '${service[0]}' on '${target}': ${MESSAGES[fault]}`
  return { message, log: `    ${name}: ${WORDS[fault]}` }
}

/** Services `b` and `c` depend on `a`, and `d` on both, on two targets of this machine, through the real davit-activate. */
export class Diamond {
  readonly #machines = new Machines()
  readonly #directory = this.#machines.directory

  constructor() {
    const script = `#!/bin/sh
D='${this.#directory}' name=\${2##*/} && name=\${name#*-}
fault="$D/fault-$1-$name"
echo "$1 $name" >>"$D/log"
[ "$1" != activate ] || : >"$D/up-$name"
if [ -e "$fault" ]; then
  : >"$D/met-$1-$name"
  . "$fault"
fi
[ "$1" != deactivate ] || rm -f "$D/up-$name"
`
    writeFileSync(join(this.#directory, 'modules/module'), script, { mode: 0o755 })
    writeFileSync(join(this.#directory, 'modules/module.activities'), 'activate\ndeactivate\n')
  }

  /** The exit status of davit-activate, and its final report. */
  async activate(version: number, faults: Faults = {}): Promise<{ readonly status: number; readonly report: string }> {
    for (const name of this.#names(/^(fault|met)-/)) rmSync(join(this.#directory, name))
    this.#place(faults)
    try {
      await tool.run(
        this.#contextOf(
          this.#manifest(version),
          Object.values(faults).some((fault) => MESSAGES[fault] === LATE) ? LIMIT : 20,
        ),
      )
      return { status: 0, report: '' }
    } catch (error) {
      const { exitStatus, diagnostics, message } = error as DavitError
      return {
        status: exitStatus,
        report: [message, ...diagnostics.map((diagnostic) => diagnostic.message)].join('\n'),
      }
    }
  }

  /** Running services, as the modules see them. */
  up(): readonly string[] {
    return this.#machines.up().toSorted()
  }

  /** Services of which the targets have records. */
  records(): readonly string[] {
    return ['one', 'two']
      .flatMap((target) => {
        const records = this.#machines.records('state', target)
        return existsSync(records) ? readdirSync(records) : []
      })
      .map((record) => record.slice(record.indexOf(':') + 1))
      .toSorted()
  }

  /** Calls of the modules since the last time this was called. */
  calls(): readonly string[] {
    return this.#machines.calls()
  }

  /** Leftovers: processes, locks, and files of running activities. */
  leftovers(): readonly string[] {
    const files = readdirSync(join(this.#directory, 'state'), { recursive: true, encoding: 'utf8' })
    const temporary = files.filter((file) =>
      /\/(holder|running[^/]*|module|output|lock\.json|release[^/]*)$|\.tmp|\.new/.test(file),
    )
    return [...temporary, ...this.#processes()]
  }

  /** Names of all files on targets and coordinator, except logs. */
  files(): readonly string[] {
    return readdirSync(join(this.#directory, 'state'), { recursive: true, encoding: 'utf8' })
      .filter((file) => !/\/log\//.test(file))
      .toSorted()
  }

  close(): Promise<void> {
    return this.#machines.close()
  }

  #place(faults: Faults): void {
    for (const [name, fault] of Object.entries(faults)) {
      // Of two simultaneous activities, neither ends before the other has begun.
      const beside = Object.keys(faults).filter((other) => besideOf(other) === besideOf(name))
      const meet = beside.map((other) => `until [ -e "$D/met-${fileOf(other)}" ]; do sleep 0.02; done\n`).join('')
      writeFileSync(
        join(this.#directory, `fault-${fileOf(name)}`),
        `${meet}${FAULTS[fault].replaceAll('NAME', name)}\n`,
      )
    }
  }

  #manifest(version: number): Manifest {
    const plain = this.#machines.manifest({
      one: { a: {}, d: { dependsOn: ['b', 'c'] } },
      two: { b: { dependsOn: ['a'] }, c: { dependsOn: ['a'] } },
    })
    const renewed = <Mapping extends { readonly service: ServiceKey }>(mapping: Mapping) => ({
      ...mapping,
      service: `${mapping.service}-${version}` as ServiceKey,
    })
    const services = [...plain.services].map(([key, service]) => {
      const pkg = `${service.pkg}-${version}` as StorePath
      return [
        `${key}-${version}` as ServiceKey,
        { ...service, pkg, dependsOn: service.dependsOn.map(renewed) },
      ] as const
    })
    return { ...plain, services: new Map(services), serviceMappings: plain.serviceMappings.map(renewed) }
  }

  #contextOf(manifest: Manifest, activityTimeout: number): ToolContext<never> {
    const args = {
      profile: 'default' as ProfileName,
      lock: true,
      lockLease: 60,
      upgrade: true,
      rollback: true,
      abandon: [],
      activityTimeout,
    }
    return {
      args: args as never,
      print: async () => {},
      report: (event: ReportEvent) => void this.#machines.events.push(event),
      signal: new AbortController().signal,
      environment: { PATH: '/usr/bin:/bin', HOME: this.#directory, DAVIT_STATE_DIR: join(this.#directory, 'state') },
      workingDirectory: this.#directory,
      privileged: false,
      executable: 'davit-activate',
      readInput: async () => ({ text: '', file: '<stdin>' }),
      readDocument: async () => ({ text: '', file: '<stdin>', value: manifest as never }),
      journal() {},
      runInForeground: async () => 0,
      runSteps: async () => 0,
    }
  }

  #names(pattern: RegExp): readonly string[] {
    return readdirSync(this.#directory).filter((name) => pattern.test(name))
  }

  #processes(): readonly string[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return []
      try {
        const [environment = '', command = '', status = ''] = ['environ', 'cmdline', 'stat'].map((file) =>
          readFileSync(join('/proc', name, file), 'utf8'),
        )
        const isOurs = environment.includes(this.#directory) || command.includes(this.#directory)
        return isOurs ? [`${command.replaceAll('\0', ' ')} (${status.slice(0, 40)})`] : []
      } catch {
        // It has ended, or belongs to somebody else.
        return []
      }
    })
  }
}

/** Replaces `b` and `c`, which have the same position in the diamond, by `b or c`. */
function besideOf(name: string): string {
  return name.replace(/ [bc]-/, ' b or c-')
}

function fileOf(name: string): string {
  return name.replace(' ', '-')
}
