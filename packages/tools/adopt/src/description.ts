import {
  connectionEnvironment,
  interfaceOptions,
  lockOptions,
  moduleOptions,
  outputOptions,
  profileOptions,
  secretEnvironment,
  sizeEnvironment,
  stateEnvironment,
  storeEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-adopt',
  summary: 'Take over a deployment of Disnix, without stopping anything',
  description: [
    'Reads the profiles of Disnix on the targets, and writes what davit has to know beside them: a profile with modules, a record for each active service, the snapshots and markers of Dysnomia, and a generation on this coordinator. No service is started or stopped, and no file of Disnix is changed. From then on, davit-env deploys the same models without changing anything.',
    'The packages of the services are fetched from the targets as far as the store of this machine lacks them, since the profiles of davit are made here. Snapshots stay on their machines; they are linked, not copied, where the file system allows it.',
    'What was adopted is adopted once: a second run changes nothing. If a run was cut off, the same command finishes it.',
    'Refuses what Disnix is changing, and what contradicts what davit has deployed under the same name, unless --replace says that Disnix has deployed since.',
  ],
  examples: [
    { command: 'davit-adopt --dry-run infrastructure.nix', describe: 'show what would be adopted' },
    { command: 'davit-adopt infrastructure.nix', describe: 'adopt it' },
    { command: 'davit-adopt -p staging --partial infrastructure.nix', describe: 'leave out what cannot be reached' },
  ],
  operands: {
    infrastructure: {
      kind: 'required',
      describe: 'infrastructure model: the targets, and the properties of their containers',
    },
  },
  options: {
    ...profileOptions,
    'dry-run': { type: 'boolean', describe: 'show what would be adopted, and stop' },
    partial: {
      type: 'boolean',
      describe: 'leave out targets that cannot be read, and inter-dependencies of which nothing is known',
    },
    replace: {
      type: 'boolean',
      describe:
        'put aside the records of davit that contradict what Disnix has deployed, after it was given back; no module is called',
    },
    ...moduleOptions,
    ...lockOptions,
    ...interfaceOptions,
    ...trustOptions,
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      group: 'Output options',
      describe: 'format of the result',
    },
    ...outputOptions,
  },
  exitStatus: {
    1: 'the targets contradict themselves, or nothing is deployed under this name',
    69: 'some targets cannot be reached',
    75: 'somebody else holds the lock, or Disnix is at work on the targets',
  },
  environment: {
    ...stateEnvironment,
    ...storeEnvironment,
    ...connectionEnvironment,
    ...secretEnvironment,
    ...sizeEnvironment,
    DYSNOMIA_STATEDIR:
      'read on the targets: directory of the snapshots and markers of Dysnomia (default: /var/state/dysnomia, for others than root ~/.dysnomia)',
  },
  seeAlso: ['davit-env(1)', 'davit-reconstruct(1)', 'davit-set(1)'],
  interrupted: {
    once: 'no service was started or stopped; the same command finishes the adoption',
    twice: 'no service was started or stopped; the same command finishes the adoption',
  },
} as const satisfies ToolDescription
