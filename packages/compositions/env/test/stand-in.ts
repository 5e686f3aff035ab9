import { appendFileSync, existsSync, writeFileSync } from 'node:fs'

import { DavitError } from '@davit/diagnostics'
import type { MadeFrom, Manifest, ProfileName } from '@davit/documents'
import { type OptionTable, optionsFor, type Run, type ToolContext } from '@davit/tool'

/**
 * What stands in for the functions of tools only records how it is called. Of its variables, FAIL is the name of the step that fails with
 * status 42, HANG of one that waits for a signal, and then succeeds, if STOPPED is set, and BUG of one that throws. With STUBBORN, a
 * step that is stopped goes on.
 */
export function standIns(tool: string, real: Real): Readonly<Record<string, unknown>> {
  const { description } = real
  const step = (options: object, run: Run, more: More = {}) => perform({ tool, description, options, run, ...more })
  switch (tool) {
    case 'normalize':
      return {
        description,
        evaluateModels: async (options: Evaluation, run: Run) => {
          const read = options.architecture === '-' ? (await options.readStandardInput()).text.trim() : undefined
          await step(options, run, { input: read })
          return { modelFiles: () => [{ file: 'normalize' }] }
        },
        normalize: async () => ARCHITECTURE,
      }
    case 'delegate-build':
      return {
        description,
        delegateBuild: ({ name }: Made, options: object, run: Run) => step(options, run, { input: name }),
      }
    case 'manifest':
      return {
        description,
        manifestOfArchitecture: async ({ name }: Made, options: object, run: Run) => {
          await step(options, run, { input: name })
          return MANIFEST
        },
        manifestOfDeployment: async (deployment: string, options: object, run: Run) => {
          await step({ ...options, deployment }, run)
          return MANIFEST
        },
      }
    case 'distribute':
      return {
        description,
        distributePackages: async (given: Given, options: object, run: Run) => {
          await step(options, run, { input: nameOf(given) })
          return []
        },
      }
    case 'lock':
      return {
        lockDescription: real['lockDescription'],
        holdLock: (...call: LockCall) => holdLock(real['lockDescription']!, call),
      }
    case 'activate':
      return activateStandIns(real)
    case 'set':
      return {
        description,
        recordDeployment: (given: Given & { readonly madeFrom: MadeFrom }, options: object, run: Run) =>
          step(options, run, { input: nameOf(given), madeFrom: given.madeFrom }),
      }
    case 'compile-stack':
      return {
        description,
        compile: async ({ stack, arguments: words, ...options }: Compilation, run: Run) => {
          await step({ ...options, stack, arguments: words.join(',') }, run)
          return { text: 'output of compile-stack', stack: () => '<compile-stack>' }
        },
      }
    case 'generations':
      return generationStandIns(real)
    case 'state':
      return stateStandIns(real)
    default:
      return reconstructionStandIns(real)
  }
}

/** Names of what each tool has a stand-in for. */
export const STAND_INS = {
  normalize: ['description', 'evaluateModels', 'normalize'],
  'delegate-build': ['description', 'delegateBuild'],
  manifest: ['description', 'manifestOfArchitecture', 'manifestOfDeployment'],
  distribute: ['description', 'distributePackages'],
  lock: ['lockDescription', 'holdLock'],
  activate: ['description', 'activate', 'checkTransition', 'giveUp', 'renderTransition'],
  set: ['description', 'recordDeployment'],
  'compile-stack': ['description', 'compile'],
  generations: [
    'description',
    'currentGeneration',
    'currentNumber',
    'finishRollback',
    'madeFromOrWarning',
    'nextRollback',
    'readGeneration',
    'startRollback',
    'tool',
  ],
  state: ['cleanSnapshotsDescription', 'cleanStores', 'deleteState', 'deleteStateDescription'],
  reconstruct: ['description', 'reconstructDeployed', 'reconstructWanted'],
} as const

interface Description {
  readonly name: string
  readonly options: OptionTable
}

/** What a package exports. */
type Real = Readonly<Record<string, Description>> & { readonly description: Description }

interface Evaluation {
  readonly architecture?: string
  readonly readStandardInput: () => Promise<{ readonly text: string }>
}

interface Compilation {
  readonly stack: string
  readonly arguments: readonly string[]
}

interface Given {
  readonly value: Manifest
  readonly text: string
}

/** As much of an architecture as davit-env looks at. */
const ARCHITECTURE = { infrastructure: new Map(), name: 'output of normalize' }

type Made = typeof ARCHITECTURE

const MANIFEST: Manifest = {
  profiles: new Map(),
  services: new Map(),
  infrastructure: new Map(),
  serviceMappings: [],
  snapshotMappings: [],
  store: { kind: 'native', directory: '/output-of-manifest' },
}

function nameOf({ text }: Pick<Given, 'text'>): string {
  return text.includes('/output-of-manifest') ? 'output of manifest' : text.trim()
}

interface More {
  /** What the step is given. */
  readonly input?: string | undefined
  readonly madeFrom?: MadeFrom | undefined
  /** What of the tool the step does, if it does several things. */
  readonly part?: string
  readonly words?: readonly string[]
}

interface Call extends More {
  readonly tool: string
  readonly description: Description
  readonly options: object
  readonly run: Run
}

async function perform(call: Call): Promise<void> {
  const { tool, description, options, run, input, madeFrom, part } = call
  const { words = [] } = call
  const given = [...(part === undefined ? [] : [part]), ...givenTo(description, options, run), ...words]
  record('', `${[tool, ...given].join(' ')}${input === undefined ? '' : `: ${input}`}`)
  record('.tmp', `${tool} ${run.environment['TMPDIR']}`)
  recordAside(tool, options)
  if (madeFrom !== undefined) record('.origin', `${tool}: ${JSON.stringify(madeFrom)}`)
  const { profile = 'default' } = options as { readonly profile?: string }
  run.journal({ profile: profile as ProfileName }, 'change')
  await end(part ?? tool, run)
}

function recordAside(tool: string, options: { readonly trustPrograms?: boolean; readonly interface?: string }): void {
  if (tool === 'activate') record('.trust', `${tool} ${options.trustPrograms}`)
  if (tool === 'manifest') record('.interface', `${tool} ${options.interface}`)
}

async function end(step: string, run: Run): Promise<void> {
  const { BUG, HANG, FAIL } = run.environment
  if (BUG === step) setTimeout(() => JSON.parse('{'), 0)
  if ([BUG, HANG].includes(step)) await hang(run)
  if (FAIL === step) throw failure(42)
}

function failure(exitStatus: number): DavitError {
  return new DavitError('failed', 'failed as wanted', { exitStatus })
}

async function hang(run: Run): Promise<void> {
  const { signal, environment } = run
  writeFileSync(`${environment['TRACE']}.hanging`, '')
  const alive = setInterval(() => {}, 1000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  const { STOPPED, STUBBORN } = environment
  record('.stopping', 'stopping')
  if (STUBBORN !== undefined) await new Promise(() => {})
  clearInterval(alive)
  record('', 'stopped')
  if (STOPPED === undefined) throw signal.reason
}

/** A lock that is lost while another step hangs, if LOST is set. */
async function holdLock(description: Description, [given, options, run]: LockCall): Promise<number> {
  const { command, infrastructure: _, ...locking } = options
  await perform({ tool: 'lock', description, options: locking, run, input: nameOf(given) })
  const { LOST, TRACE } = run.environment
  const lost = new AbortController()
  const lose = () => existsSync(`${TRACE}.hanging`) && lost.abort()
  const timer = LOST === undefined ? undefined : setInterval(lose, 5)
  const status = await command(lost.signal)
  clearInterval(timer)
  record('', 'unlock')
  return status
}

interface LockOptions {
  readonly command: (lost: AbortSignal) => Promise<number>
  readonly infrastructure?: string
}

type LockCall = [given: Given, options: LockOptions, run: Run]

interface Goal {
  readonly next: Given
  readonly plan?: unknown
  readonly madeFrom?: MadeFrom
}

function activateStandIns({ description }: Real) {
  const step = (goal: Goal, options: object, run: Run, part?: string) => {
    const words = goal.plan === undefined ? [] : ['plan']
    return perform({
      tool: 'activate',
      description,
      options,
      run,
      words,
      input: nameOf(goal.next),
      ...(part && { part }),
    })
  }
  return {
    description,
    async activate(goal: Goal, options: object, run: Run) {
      record('.origin', `activate: ${JSON.stringify(goal.madeFrom)}`)
      await step(goal, options, run)
      return { manifest: 'activate' }
    },
    async checkTransition(goal: Goal, options: object, run: Run) {
      await step(goal, options, run, 'check')
      return run.environment['STATE'] ?? 'changed'
    },
    async renderTransition(goal: Goal, options: object, run: Run) {
      await step(goal, options, run, 'show')
      return 'output of activate\n'
    },
    async giveUp(given: Given | undefined, options: object, run: Run) {
      const input = given === undefined ? undefined : nameOf(given)
      await perform({ tool: 'activate', description, options, run, input })
    },
  }
}

function generationStandIns({ description }: Real) {
  const step = (words: string) => {
    record('', `generations ${words}`)
    if (process.env['FAIL'] === 'generations') throw failure(42)
  }
  const generation = { number: 6, manifest: MANIFEST, text: 'output of generations' }
  return {
    description,
    currentGeneration: async () => (step('current'), generation),
    currentNumber: async () => (step('currentNumber'), generation.number),
    finishRollback: async () => step('endRollback'),
    madeFromOrWarning: async () => step('stack'),
    nextRollback: async () => (step('previous'), { to: 7 }),
    readGeneration: async (_: unknown, number: number) => (step(`print=${number}`), generation),
    startRollback: async () => (step('beginRollback'), 7),
    tool: {
      async run(context: ToolContext<object>) {
        await perform({ tool: 'generations', description, options: context.args, run: context })
        await context.print('7\n')
      },
    },
  }
}

function stateStandIns({ deleteStateDescription, cleanSnapshotsDescription }: Real) {
  return {
    deleteStateDescription,
    cleanSnapshotsDescription,
    async deleteState(given: Given & { readonly old: Manifest }, options: object, run: PrintingRun) {
      const input = nameOf(given)
      await perform({ tool: 'delete-state', description: deleteStateDescription!, options, run, input })
      if ('dryRun' in options && options.dryRun === true) await run.print('output of delete-state\n')
    },
    cleanStores: (_: unknown, options: object, run: Run) =>
      perform({ tool: 'clean-snapshots', description: cleanSnapshotsDescription!, options, run }),
  }
}

type PrintingRun = Run & Pick<ToolContext<unknown>, 'print'>

function reconstructionStandIns({ description }: Real) {
  const step = (part: string, options: object, run: Run) =>
    perform({ tool: 'reconstruct', description, options, run, part })
  return {
    description,
    reconstructWanted: (options: object, run: Run) => step('wanted', options, run),
    reconstructDeployed: (options: object, run: Run) => step('deployed', options, run),
  }
}

/** What steps get that has a record of its own, or none. */
const UNSAID: ReadonlySet<string> = new Set(['keepsFiles', 'trustPrograms', 'interface', 'targetProperty'])

/** Options that the step is given, and that are not as usual. */
function givenTo(description: Description, options: object, run: Run): readonly string[] {
  const usual = optionsFor(description, {}, run) as Readonly<Record<string, unknown>>
  return Object.entries(options).flatMap(([name, value]) => {
    const isData =
      value === undefined || typeof value === 'function' || (typeof value === 'object' && !Array.isArray(value))
    if (isData || UNSAID.has(name) || JSON.stringify(value) === JSON.stringify(usual[name])) return []
    return value === true ? [name] : [`${name}=${String(value)}`]
  })
}

function record(suffix: string, line: string): void {
  appendFileSync(`${process.env['TRACE']}${suffix}`, `${line}\n`)
}
