import { delegate, delegationPlan } from '@davit/delegation'
import { BuildModel, encodeDocument } from '@davit/documents'
import { openStore } from '@davit/store'
import {
  connectionEnvironment,
  defineTool,
  formatOptions,
  outputOptions,
  sizeEnvironment,
  transferOptions,
  usageError,
  withTargets,
} from '@davit/tool'
import { assignmentFrom } from './assignment.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  name: 'davit-delegate-build',
  summary: 'Build the packages of an architecture on its targets',
  description: [
    'Builds each package that the store of this machine lacks on one of the targets that need it, with as many builds at a time as the target has cores, and brings the results back, so that davit-manifest finds them. What a build needs is sent first. A build that fails does not stop those that do not need it.',
    'Targets whose platform is not that of this machine build for themselves.',
    'Prints the architecture, or the build model, as it was read.',
    'With --print, nothing is built: a build model is printed, which says which derivations each target is to build.',
  ],
  examples: [
    {
      command: 'davit-normalize -A architecture.yaml | davit-delegate-build | davit-manifest > manifest.xml',
      describe: 'build on the targets',
    },
    { command: 'davit-delegate-build --print architecture.json > build.xml', describe: 'see what is wanted where' },
    { command: 'davit-delegate-build -B build.xml', describe: 'build what a build model says' },
  ],
  operands: { architecture: 'normalized architecture, as davit-normalize prints it' },
  options: {
    build: {
      type: 'string',
      short: 'B',
      value: 'FILE',
      describe: 'build model, in place of an architecture',
    },
    print: { type: 'boolean', describe: 'print the build model, and build nothing' },
    ...transferOptions,
    'use-substitutes': {
      type: 'boolean',
      env: ['DAVIT_USE_SUBSTITUTES'],
      describe: 'let targets fetch from the caches of their Nix what these have of what builds need',
    },
    format: { ...formatOptions.format, describe: 'how the build model is written' },
    ...outputOptions,
  },
  exitStatus: { 1: 'a package could not be built' },
  environment: { ...sizeEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-normalize(1)', 'davit-manifest(1)', 'davit-env(1)'],
  interrupted: {
    once: 'what was being built on targets is ended; the same command builds what is not complete yet',
    twice:
      'what is being built on targets ends as soon as they notice; the same command builds what is not complete yet',
  },
  async run(context) {
    const { args, print, report, signal } = context
    if (args.build !== undefined && args.architecture !== undefined) {
      throw usageError('an architecture and a build model exclude each other', 'say -B FILE, or name an architecture')
    }
    const assignment = await assignmentFrom(args, context)
    if (args.print) return print(encodeDocument(BuildModel, assignment.buildModel, args.format))
    const store = await openStore(assignment.store, context)
    const order = await assignment.orderWith(store)
    const plan = await delegationPlan(order, store)
    if (plan.builds.size === 0) report(say('nothing-to-build'))
    else {
      const told = new Set([...plan.builds.values()].map(({ target }) => target))
      const infrastructure = new Map([...assignment.infrastructure].filter(([name]) => told.has(name)))
      const { maxConcurrentTransfers: maxTransfers, useSubstitutes } = args
      const options = { ...context, store, builders: order.builders, maxTransfers, useSubstitutes }
      await withTargets(infrastructure, { ...context, role: 'carry' }, (reached) => delegate(plan, reached, options))
      signal.throwIfAborted()
    }
    await print(assignment.text)
  },
})
