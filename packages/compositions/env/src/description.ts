import {
  connectionEnvironment,
  buildEnvironment,
  secretEnvironment,
  stateEnvironment,
  storeEnvironment,
  type ToolDescription,
} from '@davit/tool'

import { options } from './options.ts'
import { stackOperands } from './stack-options.ts'

export const description = {
  name: 'davit-env',
  summary: 'Deploy what models describe',
  description: [
    'Runs all steps of a deployment, one after the other: davit-compile-stack if a stack is deployed, davit-normalize, davit-delegate-build if packages are built on the targets, davit-manifest, davit-activate --check, davit-distribute, and, under the lock of davit-lock, davit-activate and davit-set; with --delete-state, then davit-delete-state, and with --keep, davit-clean-snapshots. Each step reports and ends as the tool of its name does, but all of them run in one process, and share their connections. A step that fails ends the deployment with its own status.',
    'If davit-activate --check finds nothing to change, the steps after it are left out: no lock is taken, and no target is written to.',
    'To continue a deployment that was interrupted or failed, run the same command again.',
  ],
  usage: [
    '-s SERVICES -i INFRASTRUCTURE -d DISTRIBUTION [-P PACKAGES] [OPTION]...',
    '-P PACKAGES -i INFRASTRUCTURE [OPTION]...',
    '--stack STACK [-c CLUSTER] [OPTION]... [-- ARGUMENT...]',
    '-A ARCHITECTURE [OPTION]...',
    '-D DEPLOYMENT [OPTION]...',
    '--undeploy -i INFRASTRUCTURE [OPTION]...',
    '--rollback | --switch-to-generation N | --plan PLAN [OPTION]...',
    '--abandon SERVICE [MODELS]',
    '--list-generations | --delete-generations GENERATIONS | --delete-all-generations | --forget TARGET',
  ],
  examples: [
    {
      command: 'davit-env -s services.yaml -i infrastructure.yaml -d distribution.yaml',
      describe: 'deploy what three models describe',
    },
    {
      command: 'davit-env -s services.ts -i infrastructure.ts -d distribution.ts --dry-run',
      describe: 'show what would be done, and why',
    },
    {
      command: 'davit-env -s services.nix -i infrastructure.nix -d distribution.nix --build-on-targets',
      describe: 'build packages on the targets that need them',
    },
    {
      command: 'davit-env --stack shop -c test -- greeting=hello',
      describe: 'deploy a stack to the machines of a cluster',
    },
    { command: 'davit-env --undeploy -i infrastructure.yaml', describe: 'deactivate everything' },
    { command: 'davit-env --plan plan.json', describe: 'carry out a plan that davit-plan has saved, and only that' },
    { command: 'davit-env --rollback', describe: 'return to the generation before' },
  ],
  instead: 'models and manifests are given with options, such as -s services.yaml',
  options,
  operands: stackOperands,
  exitStatus: {
    1: 'and other statuses up to 9: that of the step that failed, as the manual page of its tool explains it',
    4: 'with --plan: what is active has changed since the plan was made, and nothing was done',
  },
  environment: {
    DAVIT_STORE: 'used if --store is not given',
    'DAVIT_DEPLOY_STATE, DISNIX_DEPLOY_STATE': 'used if --deploy-state is not given',
    ...stateEnvironment,
    ...storeEnvironment,
    ...buildEnvironment,
    DAVIT_LOCK_LEASE: 'seconds that the lock remains valid when its holder no longer renews it (default: 60)',
    ...connectionEnvironment,
    ...secretEnvironment,
    DAVIT_RUN: 'name of the run, under which davit-journal(1) groups the steps; made if it is not set',
    TMPDIR: 'directory for temporary files (default: /tmp)',
  },
  seeAlso: [
    'davit-plan(1)',
    'davit-compile-stack(1)',
    'davit-normalize(1)',
    'davit-delegate-build(1)',
    'davit-manifest(1)',
    'davit-distribute(1)',
    'davit-lock(1)',
    'davit-activate(1)',
    'davit-set(1)',
    'davit-migrate(1)',
    'davit-delete-state(1)',
    'davit-clean-snapshots(1)',
    'davit-generations(1)',
    'davit-journal(1)',
    'davit-collect-garbage(1)',
  ],
} as const satisfies ToolDescription
