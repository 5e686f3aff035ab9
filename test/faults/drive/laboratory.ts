import { mkdir, rename, rm } from 'node:fs/promises'
import { eventually, PATIENCE_SECONDS } from '@davit/testing/wait'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { coordinatorState, type CoordinatorState } from '../observe/coordinator-state.ts'
import { type Holder, type HolderEnd, holdConnections } from './holder.ts'
import { namesIn } from '../observe/look.ts'
import { deploy, interrupt, type InterruptedTerms, type Run, type RunTerms } from './run.ts'
import { readable } from '../observe/said.ts'
import { release } from '../inject/strikes.ts'
import { FORGET, journalOf, survey, type Survey } from '../observe/survey.ts'
import { STEPS, type Step, type System } from './system.ts'
import { type Task, taskFor } from './task.ts'
import { follow } from '../observe/timeline.ts'

export type Deployed = Exclude<Step, 'failing'> | 'nothing'

/** A set of hosts with the system deployed to it. */
export interface Laboratory {
  readonly system: System
  /** The step that is deployed; undefined if unknown. */
  deployed(): Deployed | undefined
  /** Deploys the goal of a step, whatever happened before, and leaves nothing else. */
  reach(goal: Deployed): Promise<void>
  /** Records which step is deployed, or that it is unknown. */
  reached(goal: Deployed | undefined): void
  /** Runs davit-env towards the goal of a step, with an interruption. */
  interrupt(task: Task, how: Pick<InterruptedTerms, 'strike' | 'pace' | 'dryRun'>): Promise<Run>
  /** Runs davit-env as shipped. */
  deploy(task: Task): Promise<Run>
  /** Runs davit-env as shipped, and releases the activities that are held up once the run has encountered them. */
  deployPastHeld(task: Task): Promise<Run>
  /** From now on passes models to davit-env, and hides the packages that were built for them. */
  beginWithModels(): Promise<void>
  /** Ends `beginWithModels`, and restores the store of the coordinator. */
  endWithModels(): Promise<void>
  /** From now on, a davit-connect holds the connections. */
  shareConnections(): Promise<void>
  /** Ends `shareConnections`, and returns what is left of davit-connect; undefined if there was none. */
  endSharing(): Promise<HolderEnd | undefined>
  /** Continues as another coordinator, which knows nothing. */
  changeCoordinator(): void
  survey(): readonly Survey[]
  /** Waits a while for processes that should end, then surveys the hosts. */
  surveyWhenQuiet(): Promise<readonly Survey[]>
  /** Waits until the hosts have gone back from what was not confirmed, except those that wait for davit after a restart; surveys them. */
  surveyOnceBack(): Promise<readonly Survey[]>
  coordinatorState(stateDirectory?: string): CoordinatorState
}

export const BEFORE = {
  install: 'nothing',
  failing: 'install',
  upgrade: 'install',
  undeploy: 'upgrade',
} as const satisfies Record<Step, Deployed>

export function laboratory(system: System): Laboratory {
  const { user, set, storeDirectory } = system
  let deployed: Deployed | undefined
  let coordinators = 0
  let input: RunTerms['input'] = 'manifest'
  let holder: Holder | undefined
  const stateDirectory = () => join(user.directory, `state-${coordinators}`)
  const terms = (task: Task): RunTerms => ({ ...task, input, stateDirectory: stateDirectory(), holder })
  const emptyTemporary = async () => {
    await rm(system.temporary, { recursive: true, force: true })
    await mkdir(system.temporary)
  }
  const wipe = async () => {
    await Promise.all(set.hosts.map((host) => host.sh(FORGET, storeDirectory)))
    await rm(stateDirectory(), { recursive: true, force: true })
    // Roots of former generations would already keep the packages, and runs would pass fewer points.
    const roots = join(storeDirectory, '.davit/roots')
    await Promise.all(namesIn(roots).map((name) => rm(join(roots, name))))
    await emptyTemporary()
    deployed = 'nothing'
  }
  const look = () => survey({ ...set, storeDirectory })
  return {
    system,
    deployed: () => deployed,
    async reach(goal) {
      if (deployed !== goal) await wipe()
      for (const step of STEPS) {
        if (deployed === goal) return
        if (step === 'failing') continue
        const { status, said } = await deploy(system, terms(taskFor(step)))
        if (status !== 0) throw new Error(`'${step}' ended with status ${status}: ${textOf(said())}`)
        deployed = step
      }
    },
    reached: (goal) => void (deployed = goal),
    interrupt: (task, how) => interrupt(system, { ...terms(task), ...how }),
    deploy: (task) => deploy(system, terms(task)),
    async deployPastHeld(task) {
      const { busy } = follow(journalOf(look()), new Map())
      return deploy(system, terms(task), async ({ started, isOver }) => {
        const waits = () => busy.size === 0 || isOver() || started.stderr().includes('"code":"waiting-for-earlier"')
        // A run that does neither is wrong, which the checks will detect.
        await eventually('the next run to wait or to end', waits).catch(() => {})
        await release(system)
      })
    },
    async beginWithModels() {
      input = 'models'
      await rename(storeDirectory, `${storeDirectory}.aside`)
    },
    async endWithModels() {
      if (input === 'manifest') return
      input = 'manifest'
      await user.run(['chmod', '-R', 'u+w', storeDirectory])
      await rm(storeDirectory, { recursive: true, force: true })
      await rename(`${storeDirectory}.aside`, storeDirectory)
    },
    async shareConnections() {
      holder = await holdConnections(system)
    },
    async endSharing() {
      const ending = holder
      holder = undefined
      return ending?.end()
    },
    changeCoordinator: () => void (coordinators += 1),
    survey: look,
    surveyWhenQuiet: () => untilQuiet(look),
    async surveyOnceBack() {
      const isBack = ({ trial }: Survey) => trial !== 'armed'
      await eventually('hosts to go back', () => look().every(isBack))
      return look()
    },
    coordinatorState: (directory = stateDirectory()) => coordinatorState(system, directory),
  }
}

/** Returns the messages of a run as text. */
export function textOf(lines: ReturnType<Run['said']>): string {
  return lines.map(readable).join('\n')
}

/** Waits for processes on a host whose network was cut: by TCP it notices late that the other end has gone. */
async function untilQuiet(look: () => readonly Survey[]): Promise<readonly Survey[]> {
  const deadline = Date.now() + PATIENCE_SECONDS * 1000
  for (;;) {
    const surveys = look()
    if (Date.now() > deadline || surveys.every(({ leftProcesses }) => leftProcesses.length === 0)) return surveys
    await pause(50)
  }
}
