import { moduleOptions, type OptionTable, profileOptions } from '@davit/tool'

const OPERATION = { type: 'boolean', group: 'Operations' } as const
const SETTING = { group: 'Settings of operations' } as const

/** The operations; exactly one is given. */
export const operationOptions = {
  import: { ...OPERATION, describe: 'make the paths in a file of `nix-store --export` valid in the Nix store' },
  export: { ...OPERATION, describe: 'write paths of the Nix store to a file of this machine, and print its path' },
  'print-invalid': { ...OPERATION, describe: 'print those of the paths that are not valid in the Nix store' },
  realise: { ...OPERATION, short: 'r', describe: 'build derivations with Nix, and print the paths of their outputs' },
  set: { ...OPERATION, describe: 'make a path the current generation of the profile, unless it is' },
  'query-installed': {
    ...OPERATION,
    short: 'q',
    describe: 'print the profile manifest of the profile, if there is one',
  },
  'query-requisites': { ...OPERATION, describe: 'print the closures of paths, what is referred to first' },
  'collect-garbage': { ...OPERATION, describe: 'have Nix collect its garbage' },
  activate: { ...OPERATION, describe: 'activate a component in a container' },
  deactivate: { ...OPERATION, describe: 'deactivate a component' },
  snapshot: { ...OPERATION, describe: 'take a snapshot of the state of a component' },
  restore: { ...OPERATION, describe: 'restore the latest snapshot of a component' },
  'delete-state': { ...OPERATION, describe: 'delete the state of a component, if it was deactivated' },
  lock: { ...OPERATION, describe: 'ask the services of the profile whether they agree, and lock it' },
  unlock: { ...OPERATION, describe: 'unlock the profile' },
  'query-all-snapshots': { ...OPERATION, describe: 'print the names of all snapshots, oldest first' },
  'query-latest-snapshot': { ...OPERATION, describe: 'print the name of the latest snapshot of each component' },
  'print-missing-snapshots': { ...OPERATION, describe: 'print those of the names of which there is no snapshot' },
  'import-snapshots': { ...OPERATION, describe: 'make directories the latest snapshots of a component' },
  'export-snapshots': {
    ...OPERATION,
    describe: 'copy directories to this machine, and print the paths that contain them',
  },
  'resolve-snapshots': { ...OPERATION, describe: 'print the paths of snapshots' },
  'clean-snapshots': { ...OPERATION, describe: 'remove all but the latest snapshots' },
  'capture-config': { ...OPERATION, describe: 'print properties and containers of the machine in the Nix language' },
  shell: { ...OPERATION, describe: 'open a shell with the properties of the container in its environment' },
  operation: {
    type: 'string',
    value: 'NAME',
    group: 'Operations',
    describe: 'call the module for any other activity, such as status',
  },
} as const satisfies OptionTable

export const settingOptions = {
  type: { type: 'string', short: 't', value: 'TYPE', ...SETTING, describe: 'name or path of the lifecycle module' },
  container: {
    type: 'string',
    short: 'C',
    value: 'CONTAINER',
    ...SETTING,
    describe: 'container of the component, or of snapshots; by default, the name of the type, or all',
  },
  component: {
    type: 'string',
    short: 'c',
    value: 'COMPONENT',
    ...SETTING,
    describe: 'component whose snapshots are meant, or, with --operation, the path of the component',
  },
  arguments: {
    type: 'list',
    value: 'NAME=VALUE',
    ...SETTING,
    describe: 'property of the container',
  },
  ...profileOptions,
  localfile: { type: 'boolean', ...SETTING, describe: 'the files are on this machine' },
  remotefile: { type: 'boolean', ...SETTING, describe: 'the files are on the machine of the operation' },
  'delete-old': {
    type: 'boolean',
    short: 'd',
    ...SETTING,
    describe: 'with --collect-garbage, first remove the old generations of all profiles',
  },
  keep: {
    type: 'integer',
    minimum: 0,
    default: 1,
    ...SETTING,
    describe: 'how many snapshots --clean-snapshots leaves',
  },
  command: { type: 'string', value: 'COMMAND', ...SETTING, describe: 'with --shell, run a command instead' },
  module: { type: 'string', value: 'FILE', ...SETTING, describe: 'lifecycle module of your own, in place of --type' },
  modules: { ...moduleOptions.modules, ...SETTING },
  // The letter belongs to an operation.
  quiet: {
    type: 'boolean',
    env: ['DAVIT_QUIET'],
    group: 'Common options',
    describe: 'print only warnings and errors',
  },
} as const satisfies OptionTable

export const commonDescription = {
  operands: { path: { kind: 'list', describe: 'paths, or names of snapshots' } },
  exitStatus: { 1: 'the operation failed; with --shell --command, the status is that of the command' },
  interrupted: {
    announcement: 'no longer waiting for what is running there',
    once: 'an activity that has begun goes on there; the same command waits for it, and then does the same again',
    twice: 'an activity that has begun goes on there; the same command waits for it, and then does the same again',
  },
} as const
