import type { OptionTable } from '@davit/tool'

const STORE = { group: 'Options with --store' } as const

/** Options of operations on one store of snapshots of this machine. */
export const storeOptions = {
  store: {
    type: 'string',
    value: 'DIRECTORY',
    ...STORE,
    describe:
      'work on one store of snapshots of this machine, such as /var/state/dysnomia, and print the names of its snapshots, oldest first',
  },
  latest: { type: 'boolean', ...STORE, describe: 'print only the latest snapshot of each component' },
  resolve: { type: 'boolean', ...STORE, describe: 'print the paths of the named snapshots' },
  'print-missing': { type: 'boolean', ...STORE, describe: 'print those of the names of which there is no snapshot' },
  import: {
    type: 'boolean',
    ...STORE,
    describe:
      'copy directories of snapshots into the store, for the component that -c and -C name; the last one becomes the latest',
  },
  export: {
    type: 'boolean',
    ...STORE,
    describe: 'copy the named snapshots, and print the paths that contain the copies',
  },
  gc: { type: 'boolean', ...STORE, describe: 'remove all but the latest snapshots of each component' },
  keep: { type: 'integer', value: 'N', minimum: 0, default: 1, ...STORE, describe: 'how many --gc leaves' },
} as const satisfies OptionTable
