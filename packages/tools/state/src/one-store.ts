import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { type Client, exportSnapshots, importSnapshots, print, type PrintingOperation } from '@davit/client-interface'
import { connectionPool, HERE } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type ArgumentsOf, type ToolContext, usageError } from '@davit/tool'

import { say } from './messages.ts'
import type { storeOptions } from './store-options.ts'

type Arguments = ArgumentsOf<typeof storeOptions, Record<never, never>> & {
  readonly container: readonly string[]
  readonly component: readonly string[]
  readonly service: readonly string[]
  /** The first of the names. */
  readonly manifest: string | undefined
  readonly name: readonly string[]
}

const OPERATIONS = ['latest', 'resolve', 'printMissing', 'import', 'export', 'gc'] as const

type Operation = (typeof OPERATIONS)[number] | 'list'

/** What one operation needs to know of the command line. */
interface Words {
  readonly names: readonly string[]
  readonly container: string
  readonly component: string
  readonly keep: number
}

/** Refuses options of a store where none is named. */
export function refuseWithoutStore(args: Arguments): void {
  const name = OPERATIONS.find((option) => args[option])
  if (name !== undefined) throw usageError(`--${dashed(name)} needs --store`, 'name the directory of a store')
  const [surplus] = args.name
  if (surplus !== undefined) throw usageError(`unexpected operand '${surplus}'`, 'the operands are [MANIFEST]')
}

/** Carries out an operation on one store of this machine; resolves with the exit status. */
export async function workOnStore(context: ToolContext<Arguments>, directory: string): Promise<number> {
  const { args, environment, workingDirectory, openPool = connectionPool } = context
  const store = resolve(workingDirectory, directory)
  const operation = operationOf(args)
  const words = wordsOf(args)
  checkNames(operation, words)
  checkDirectory(operation, store)
  refuseDeployed(operation, store)
  const pool = openPool({ ...context, environment: { ...environment, DYSNOMIA_STATEDIR: store } })
  try {
    const connection = await pool.connect(HERE)
    const complain = (line: string) => context.report(say('store-says', { line: line.replace(/^davit: /, '') }))
    return await WORK[operation]({ ...context, connection, complain }, words, store)
  } finally {
    await pool.close()
  }
}

function operationOf(args: Arguments): Operation {
  const [operation = 'list', other] = OPERATIONS.filter((option) => args[option])
  if (other === undefined) return operation
  throw usageError(`--${dashed(operation)} and --${dashed(other)} exclude each other`, 'name one of them')
}

function wordsOf({ manifest, name, container, component, service, keep }: Arguments): Words {
  if (container.length > 1 || component.length > 1 || service.length > 0)
    throw usageError('a store is asked for one container and one component at most', 'use -c and -C once, and not -S')
  const names = [...(manifest === undefined ? [] : [manifest]), ...name]
  return { names, container: container[0] ?? '', component: component[0] ?? '', keep }
}

function checkNames(operation: Operation, { names }: Words): void {
  if (names.length > 0 || !['resolve', 'printMissing', 'import', 'export'].includes(operation)) return
  throw usageError(
    `--${dashed(operation)} names nothing`,
    operation === 'import' ? 'name directories of snapshots' : 'name snapshots, as CONTAINER/COMPONENT/NAME',
  )
}

/** Only an import makes a store. */
function checkDirectory(operation: Operation, store: string): void {
  const found = statSync(store, { throwIfNoEntry: false })
  if (found?.isDirectory() === true || (found === undefined && operation === 'import')) return
  throw new DavitError('no-input', `there is no directory '${store}'`, {
    exitStatus: ExitStatus.noInput,
    hint: 'name the directory of a store, such as /var/state/dysnomia',
  })
}

/** What deployments still need is only known to the tools of deployments. */
function refuseDeployed(operation: Operation, store: string): void {
  if ((operation !== 'gc' && operation !== 'import') || !existsSync(join(store, '../active'))) return
  throw usageError(
    `'${store}' belongs to a target of deployments`,
    'use davit-clean-snapshots or davit-copy-snapshots, which know what services still need',
  )
}

const WORK: Readonly<Record<Operation, (client: Client, words: Words, store: string) => Promise<number>>> = {
  list: (client, words) => listed(client, ['all', ...filterOf(words)]),
  latest: (client, words) => listed(client, ['latest', ...filterOf(words)]),
  resolve: (client, { names }) => printed(client, 'resolve', names),
  printMissing: (client, { names }) => printed(client, 'print_missing', names),
  async import(client, { names, container, component }) {
    if (container === '' || component === '')
      throw usageError('the snapshots belong to no component', 'name it with -c CONTAINER and -C COMPONENT')
    return failed(await importSnapshots(client, { container, component, paths: names, kind: 'local' }))
  },
  export: async (client, { names }, store) =>
    failed(
      await exportSnapshots(
        client,
        names.map((name) => join(store, 'snapshots', name)),
      ),
    ),
  gc: (client, words) => printed(client, 'clean_snapshots', [String(words.keep), ...filterOf(words)]),
}

async function listed(client: Client, words: readonly string[]): Promise<number> {
  let isEmpty = true
  const watched: Client = {
    ...client,
    async print(content) {
      isEmpty = false
      await client.print(content)
    },
  }
  const status = await printed(watched, 'query_snapshots', words)
  if (status === 0 && isEmpty) client.complain(say('no-snapshots').message)
  return status
}

async function printed(client: Client, operation: PrintingOperation, words: readonly string[]): Promise<number> {
  return failed(await print(client, operation, words))
}

function failed(status: number): number {
  return status === 0 ? 0 : 1
}

function filterOf({ container, component }: Words): readonly string[] {
  return [container, component]
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
