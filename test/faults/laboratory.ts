import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Outcome, succeeded } from '../harness/coordinator.ts'
import { eventually } from '../harness/wait.ts'
import type { Fault, Kind, Points } from './points.ts'
import { FORGET, journalOf, survey, type Survey } from './survey.ts'
import { STEPS, type Step, type System } from './system.ts'
import { follow } from './timeline.ts'

/** What is deployed now, and how it is changed. */
export interface Laboratory {
  readonly system: System
  /** State directory of the coordinator that has the deployment now. */
  stateDirectory(): string
  /** Whatever happened: what a step leads to is deployed, and nothing else is left. */
  reach(goal: Step | 'nothing'): Promise<void>
  /** To be called when a step has been taken, or when nobody knows. */
  reached(goal: Step | undefined): void
  /** What davit-env passes on its way, step by step. */
  trace(): Promise<Points>
  interrupt(fault: Fault): Promise<Interrupted>
  /** Runs davit-env to the goal of a step, as it is shipped. */
  deploy(step: Step): Promise<Outcome>
  /** The same; what the interruption holds up is let go when this has come across it. */
  deployPastHeld(step: Step): Promise<Outcome>
  /** Goes on as a coordinator that knows nothing. */
  changeCoordinator(): void
  survey(): Promise<readonly Survey[]>
  coordinatorState(): Promise<CoordinatorState>
}

export interface Interrupted {
  /** The line of the log of the point; undefined when the run did not come there. */
  readonly struck: string | undefined
  /** null when davit-env itself was killed. */
  readonly status: number | null
  readonly stderr: () => string
  /** Nanoseconds, by the clock of all hosts. */
  readonly endedAt: bigint
  /** Until what davit-env has left behind has ended as well. */
  readonly orphans: Promise<unknown>
}

export interface CoordinatorState {
  readonly generations: readonly number[]
  /** Of the last generation. */
  readonly manifest: string
  readonly leftFiles: readonly string[]
}

export const BEFORE = { install: 'nothing', upgrade: 'install', undeploy: 'upgrade' } as const satisfies Record<
  Step,
  Step | 'nothing'
>

const OUTSIDE = fileURLToPath(new URL('outside', import.meta.url))

export function laboratory(system: System): Laboratory {
  const { user, set, environment, goals } = system
  const log = join(user.directory, 'points.log')
  let deployed: Step | 'nothing' | undefined
  let coordinators = 0
  const stateDirectory = () => join(user.directory, `state-${coordinators}`)
  const settings = (more: Readonly<Record<string, string>> = {}) => ({
    environment: { ...environment, DAVIT_STATE_DIR: stateDirectory(), ...more },
  })
  const deploy = (step: Step) => user.run(['davit-env', '-D', goals[step].file], settings())
  const emptyTemporary = async () => {
    await rm(system.temporary, { recursive: true, force: true })
    await mkdir(system.temporary)
  }
  const wipe = async () => {
    await Promise.all(set.hosts.map((host) => host.sh(FORGET, system.storeDirectory)))
    await rm(stateDirectory(), { recursive: true, force: true })
    await emptyTemporary()
    deployed = 'nothing'
  }
  const reach = async (goal: Step | 'nothing') => {
    if (deployed === goal) return
    await wipe()
    for (const step of STEPS) {
      if (deployed === goal) return
      succeeded(await deploy(step))
      deployed = step
    }
  }
  const start = (step: Step, more: Readonly<Record<string, string>>) =>
    user.start(
      ['sh', '-c', 'export DAVIT_FAULT_PARENT=$$; exec davit-env "$@"', 'sh', '-D', goals[step].file],
      settings({ PATH: system.faultyPath, DAVIT_FAULT_LOG: log, ...more }),
    )
  return {
    system,
    stateDirectory,
    reach,
    reached: (goal) => void (deployed = goal),
    async trace() {
      const points: Record<string, readonly string[]> = {}
      await reach('nothing')
      for (const step of STEPS) {
        await writeFile(log, '')
        succeeded(await start(step, {}).outcome)
        deployed = step
        points[step] = (await readLines(log)).map((line) => line.split(' ', 1)[0] ?? '')
      }
      return points as unknown as Points
    },
    async interrupt({ step, kind, point, pace }) {
      await writeFile(log, '')
      await emptyTemporary()
      const command = `${pace === 'held' ? holdCommand(system) : ''}${commandOf(kind, system)}`
      const started = start(step, { DAVIT_FAULT_POINT: point, DAVIT_FAULT_COMMAND: command })
      const ended = once(started.process, 'exit')
      const [status] = (await ended) as [number | null]
      if (!kind.endsWith('KILL')) await started.outcome
      const endedAt = BigInt(Date.now()) * 1_000_000n
      const lines = await readLines(log)
      const struck = lines.find((line) => line.endsWith(' struck'))
      const failure = lines.find((line) => line.startsWith('failed '))
      if (failure !== undefined) throw new Error(`cannot interrupt: ${failure}`)
      await mend(kind, system)
      return { struck, status, stderr: started.stderr, endedAt, orphans: started.outcome }
    },
    deploy,
    async deployPastHeld(step) {
      const { busy } = follow(journalOf(await survey(set.hosts, system.storeDirectory)), [])
      const started = user.start(['davit-env', '-D', goals[step].file], settings())
      let isOver = busy.size === 0
      void started.outcome.then(() => (isOver = true))
      const waits = () => isOver || started.stderr().includes('waiting for what an earlier run')
      // A run that does neither is wrong, and that will be seen.
      await eventually('the next run to wait or to end', waits).catch(() => {})
      await Promise.all(set.hosts.map((host) => host.sh(`rm -f ${HOLD}`)))
      return started.outcome
    },
    changeCoordinator: () => void (coordinators += 1),
    survey: () => survey(set.hosts, system.storeDirectory),
    coordinatorState: () => stateOf(stateDirectory(), system.temporary),
  }
}

/** A command for sh: $1 is the process that is at the point, $2 the address to which the point belongs. */
function commandOf(kind: Kind, { set }: System): string {
  const [victim, signal] = kind.split(':')
  if (victim === 'tool') return `kill -${signal} "$1"`
  if (victim === 'env') return `kill -${signal} "$DAVIT_FAULT_PARENT"`
  const command = { cut: 'cut', sshd: 'stop-sshd', reboot: 'reboot' }[kind as 'cut' | 'sshd' | 'reboot']
  const cases = set.hosts.map(
    ({ address, name }) => `${address}) exec '${OUTSIDE}' ${command} ${set.directory} ${name} ;;`,
  )
  return `case $2 in ${cases.join(' ')} esac`
}

const HOLD = '/run/davit-faults.hold'

/** Quick enough for activities that have just begun. */
function holdCommand({ set }: System): string {
  const files = set.hosts.map(({ name }) => `"/proc/$(cat ${set.directory}/hosts/${name}/pid)/root${HOLD}"`)
  return `touch ${files.join(' ')}; `
}

async function mend(kind: Kind, { set }: System): Promise<void> {
  const command = { cut: 'join', sshd: 'start-sshd' }[kind as 'cut' | 'sshd']
  if (command === undefined) return
  await Promise.all(set.hosts.map(({ name }) => promisify(execFile)(OUTSIDE, [command, set.directory, name])))
}

async function stateOf(directory: string, temporary: string): Promise<CoordinatorState> {
  const place = join(directory, 'coordinator/default')
  const names = await readdir(join(place, 'generations')).catch(() => [])
  const generations = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const last = String(Math.max(0, ...generations))
  const manifest = await readFile(join(place, 'generations', last, 'manifest'), 'utf8').catch(() => '')
  const files = await readdir(place, { recursive: true }).catch(() => [])
  const left = files.filter((file) => /(^|\/)(lock\.json|\..*|.*(\.new|\.tmp|\.part).*)$/.test(file))
  const inTemporary = await readdir(temporary)
  return { generations, manifest, leftFiles: [...left, ...inTemporary.map((name) => `TMPDIR/${name}`)] }
}

async function readLines(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
}

export async function untilQuiet(look: () => Promise<readonly Survey[]>): Promise<readonly Survey[]> {
  for (let tries = 0; ; tries += 1) {
    const surveys = await look()
    if (tries === 15 || surveys.every(({ leftProcesses }) => leftProcesses.length === 0)) return surveys
    await pause(200)
  }
}
