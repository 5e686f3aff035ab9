import { quote, runtime } from './runtime-script.ts'

/** Parts of the process that calls a module. */
const ACTIVITIES = ['common', 'claim', 'state', 'runner'] as const
/** The same, for what concerns the state of components. */
const SNAPSHOT_ACTIVITIES = [
  ...ACTIVITIES,
  'snapshots',
  'snapshot-past',
  'snapshot-owners',
  'snapshot-changes',
  'snapshot-content',
  'snapshot-runner',
] as const

const OWN = ['refuse', 'interface']
const NIX = { own: ['common', 'claim', ...OWN, 'nix', 'interface-profile', 'interface-nix'] }
const MODULE = { detached: [...ACTIVITIES, 'interface-runner'], own: [...OWN, 'safe-path', 'interface-module'] }
const STATE = { detached: [...SNAPSHOT_ACTIVITIES, 'interface-runner'], own: [...OWN, 'safe-path', 'interface-module'] }
const LOCK = { ...MODULE, own: [...MODULE.own, 'interface-profile', 'lock-file', 'make-lock', 'interface-lock'] }
const SHELL = { ...MODULE, own: [...MODULE.own, 'interface-start', 'interface-shell'] }
const DIAGNOSIS = { detached: [...ACTIVITIES, 'diagnosis'], own: [...OWN, 'record', 'interface-start', 'diagnose'] }
const SNAPSHOTS = { own: [...ACTIVITIES, 'snapshots', 'snapshot-past', ...OWN, 'interface-snapshots'] }

/** Operations of the client interface of Disnix, and some that are not among them, `capture` and those to diagnose: `client_NAME` in a part of `runtime/`, and the parts that each is sent with. */
const PARTS = {
  import: NIX,
  export: NIX,
  print_invalid: NIX,
  realise: NIX,
  set: NIX,
  query_installed: { own: ['common', 'claim', ...OWN, 'interface-profile'] },
  query_requisites: NIX,
  collect_garbage: NIX,
  activity: MODULE,
  state_activity: STATE,
  lock: LOCK,
  unlock: LOCK,
  query_snapshots: SNAPSHOTS,
  print_missing: SNAPSHOTS,
  resolve: SNAPSHOTS,
  send_snapshot: SNAPSHOTS,
  receive_snapshot: SNAPSHOTS,
  import_snapshots: SNAPSHOTS,
  clean_snapshots: SNAPSHOTS,
  capture_config: { own: ['common', 'claim', ...OWN, 'interface-settings'] },
  capture: {
    detached: ['common', 'refuse', 'interface-settings', 'capture'],
    own: ['claim', 'interface', 'interface-capture'],
  },
  shell: SHELL,
  prepare_shell: SHELL,
  remove_shell: SHELL,
  diagnose: DIAGNOSIS,
  prepare_diagnosis: DIAGNOSIS,
} as const

export type ClientOperation = keyof typeof PARTS

export const CLIENT_OPERATIONS = Object.keys(PARTS) as readonly ClientOperation[]

/** A module that is sent along with an operation. */
export interface CarriedModule {
  readonly name: string
  /** Name for its content. */
  readonly hash: string
  readonly script: string
  /** Text of `MODULE.activities`; undefined if it has none. */
  readonly activities: string | undefined
  /** Whether it is used before modules of Dysnomia that the machine has, or only if that has none of the name. */
  readonly precedence: 'first' | 'last'
}

export interface ClientScript {
  readonly operation: ClientOperation
  readonly marker: string
  readonly modules?: readonly CarriedModule[]
}

/** Returns a script that prints the marker line, and then carries out one operation (see `runtime/interface.sh`). */
export function clientScript({ operation, marker, modules = [] }: ClientScript): string {
  const carried = modules.map(({ name, hash, script, activities = '', precedence }) => {
    const values = { '': precedence, _hash: hash, _script: script, _activities: activities }
    const words = Object.entries(values).map(([field, value]) => `carried${field}=${quote(value)}`)
    return `${quote(name)}) ${words.join(' ')} ;;\n`
  })
  const choose = `carried() {\ncarried=\ncase $1 in\n${carried.join('')}esac\n}`
  return `${runtime(PARTS[operation])}\n${choose}\nserve_client ${quote(marker)} ${operation}\n`
}
