import {
  connectionEnvironment,
  onOptions,
  planOptions,
  stackProfileOptions,
  secretEnvironment,
  buildEnvironment,
  skipOptions,
  stateEnvironment,
  storeEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

import { modelOptions } from '../model-options.ts'
import { packageOptions } from '../package-options.ts'
import { stackOperands, stackOptions } from '../stack-options.ts'

const { store, 'build-on-targets': buildOnTargets, 'max-jobs': maxJobs, 'trust-builds': trustBuilds } = packageOptions
const OUTPUT = { group: 'Output options' } as const

export const planDescription = {
  name: 'davit-plan',
  summary: 'Show what deploying would change, and why',
  description: [
    'Given models, or a manifest, asks the targets what is active, as davit-activate does, and shows each step of the way: what is activated, deactivated, restarted or replaced, the state that moves, the packages to send, and what changes in services. Nothing is changed on any target. Packages are built here, since services are told apart by their packages.',
    'With --from, no machine is asked: the plan leads from one manifest to another, as if all that the first one says were active.',
    'Steps that belong together, and steps that are alike on several targets, are shown as one; --no-fold shows each of them. In order, services are told by their names among what may be done at once. By target, targets on which the same is done stand together.',
    '--out saves the plan. davit-env --plan carries out exactly that plan, and refuses if what is active has changed meanwhile.',
  ],
  usage: [
    '-s SERVICES -i INFRASTRUCTURE -d DISTRIBUTION [-P PACKAGES] [OPTION]...',
    '-A ARCHITECTURE | -D DEPLOYMENT | --undeploy -i INFRASTRUCTURE [OPTION]...',
    '--stack STACK [-c CLUSTER] [OPTION]... [-- ARGUMENT...]',
    '[--from MANIFEST] [OPTION]... [MANIFEST]',
  ],
  examples: [
    {
      command: 'davit-plan -s services.yaml -i infrastructure.yaml -d distribution.yaml',
      describe: 'show what deploying these models would change',
    },
    { command: 'davit-plan --by target manifest.xml', describe: 'show by target what a manifest would change' },
    {
      command: 'davit-plan --from old.xml --format markdown new.xml > plan.md',
      describe: 'describe a change for a merge request, without asking any machine',
    },
    {
      command: 'davit-plan --out plan.json manifest.xml && echo nothing to do',
      describe: 'save a plan, for davit-env --plan plan.json',
    },
  ],
  operands: {
    manifest: { kind: 'optional', describe: "manifest to reach; '-', or none and no models, is standard input" },
    ...stackOperands,
  },
  options: {
    ...modelOptions,
    ...stackOptions,
    store,
    'build-on-targets': buildOnTargets,
    'max-jobs': maxJobs,
    'trust-builds': trustBuilds,
    ...stackProfileOptions,
    ...planOptions,
    ...skipOptions,
    ...trustOptions,
    on: {
      ...onOptions.on,
      describe:
        'only plan for these, as davit-env --on does, and ask no other targets: targets by name or pattern, @TAG, service:NAME, service:NAME@TARGET, or service:...NAME for a service with its dependants; several are separated by commas, and ! excludes',
    },
    from: {
      type: 'string',
      value: 'MANIFEST',
      // These are about what the targets report.
      excludes: ['repair', 'skip-unreachable', 'take-over', 'beside-original'],
      describe: "plan from this manifest instead of what the targets report, and ask no machine; '-' is standard input",
    },
    by: {
      type: 'choice',
      choices: ['order', 'target'],
      default: 'order',
      ...OUTPUT,
      describe: 'show steps in the order in which they are done, or by target',
    },
    fold: {
      type: 'boolean',
      default: true,
      ...OUTPUT,
      describe: 'show steps that belong together, or are alike on several targets, as one',
    },
    files: {
      type: 'boolean',
      ...OUTPUT,
      describe:
        'also show what changes in the text files of packages, as a unified diff, where this machine has both versions; needs the program diff',
    },
    format: {
      type: 'choice',
      short: 'f',
      choices: ['text', 'json', 'markdown'],
      default: 'text',
      ...OUTPUT,
      describe: 'format of the result: text, a document for programs, or Markdown for a merge request',
    },
    out: {
      type: 'string',
      value: 'FILE',
      ...OUTPUT,
      describe: 'also save the plan to a file, atomically, for davit-env --plan and davit-visualize --plan',
    },
  },
  exitStatus: {
    0: 'there is nothing to do',
    1: 'the plan was refused, as davit-activate would refuse it, or a package cannot be built',
    2: 'there is something to do',
  },
  environment: {
    DAVIT_STORE: 'used if --store is not given',
    'DAVIT_DEPLOY_STATE, DISNIX_DEPLOY_STATE': 'used if --deploy-state is not given',
    ...stateEnvironment,
    ...storeEnvironment,
    ...buildEnvironment,
    ...connectionEnvironment,
    ...secretEnvironment,
    TMPDIR: 'directory for temporary files (default: /tmp)',
  },
  seeAlso: ['davit-env(1)', 'davit-activate(1)', 'davit-compare(1)', 'davit-visualize(1)', 'davit-query(1)'],
  interrupted: {
    announcement: 'stopping',
    once: 'nothing was changed on the targets; run the same command again',
    twice: 'nothing was changed on the targets; run the same command again',
  },
} as const satisfies ToolDescription
