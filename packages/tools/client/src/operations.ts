import {
  activity,
  captureConfiguration,
  type Client,
  exportClosures,
  exportSnapshots,
  importClosures,
  importSnapshots,
  lockProfile,
  print,
  type PrintingOperation,
  unlockProfile,
} from '@davit/client-interface'
import { type ToolContext, usageError } from '@davit/tool'

import { type Arguments, onlyPath, type OperationName, sideOf } from './arguments.ts'
import { callOf } from './call.ts'
import type { Place } from './carry-out.ts'
import { shell } from './shell.ts'

export interface Reached {
  readonly client: Client
  readonly place: Place
}

/** Checks the arguments of an operation, and returns what carries it out; resolves with the exit status. */
type Prepare = (args: Arguments, context: ToolContext<Arguments>) => (reached: Reached) => Promise<number>

export const OPERATIONS: Readonly<Record<OperationName, Prepare>> = {
  import(args) {
    const [kind, path] = [sideOf(args), onlyPath(args, 'the file')]
    return ({ client }) => importClosures(client, { kind, path }).then(failed)
  },
  export(args) {
    sideOf(args)
    return ({ client }) => exportClosures(client, args.path).then(failed)
  },
  'print-invalid': ({ path }) => printing('print_invalid', path),
  realise: ({ path }) => printing('realise', path),
  set: (args) => printing('set', [args.profile, onlyPath(args, 'the path of the profile')]),
  'query-installed': ({ profile }) => printing('query_installed', [profile]),
  'query-requisites': ({ path }) => printing('query_requisites', path),
  'collect-garbage': ({ deleteOld }) => printing('collect_garbage', [deleteOld ? 'all' : 'unused']),
  activate: calling('activate'),
  deactivate: calling('deactivate'),
  snapshot: calling('snapshot'),
  restore: calling('restore'),
  'delete-state': calling('collect-garbage'),
  lock: locking(lockProfile),
  unlock: locking(unlockProfile),
  'query-all-snapshots': (args) => printing('query_snapshots', ['all', ...filterOf(args)]),
  'query-latest-snapshot': (args) => printing('query_snapshots', ['latest', ...filterOf(args)]),
  'print-missing-snapshots': ({ path }) => printing('print_missing', path),
  'resolve-snapshots': ({ path }) => printing('resolve', path),
  'import-snapshots'(args) {
    const [container = '', component = ''] = filterOf(args)
    if (container === '' || component === '')
      throw usageError('the snapshots belong to no component', 'name it with --container and --component')
    const snapshots = { container, component, paths: args.path, kind: sideOf(args) }
    return ({ client }) => importSnapshots(client, snapshots).then(failed)
  },
  'export-snapshots':
    ({ path }) =>
    ({ client }) =>
      exportSnapshots(client, path).then(failed),
  'clean-snapshots': (args) => printing('clean_snapshots', [String(args.keep), ...filterOf(args)]),
  'capture-config':
    () =>
    async ({ client }) => {
      const expression = await captureConfiguration(client)
      if (expression === undefined) return 1
      await client.print(expression)
      return 0
    },
  shell,
  any: (args, context) => calling(args.operation ?? '')(args, context),
}

function printing(operation: PrintingOperation, words: readonly string[]) {
  return async ({ client }: Reached): Promise<number> => failed(await print(client, operation, words))
}

function calling(name: string): Prepare {
  return (args, context) => {
    const call = callOf(args, context)
    return async ({ client }) => failed(await activity(client, name, await call()))
  }
}

function locking(work: typeof lockProfile): Prepare {
  return ({ profile, modules: directories }) =>
    async ({ client }) =>
      failed(await work(client, { profile, directories }))
}

function filterOf({ container = '', component = '' }: Arguments): readonly string[] {
  return [container, component]
}

/** Whatever an operation ends with, so that it is not taken for a status of davit. */
function failed(status: number): number {
  return status === 0 ? 0 : 1
}
