import type { DavitError } from '@davit/diagnostics'
import { distribute, distributionError, distributionInterrupted } from '@davit/distribution'
import { Manifest, parseProfileName } from '@davit/documents'
import { openStore } from '@davit/store'
import {
  connectionEnvironment,
  defineTool,
  profileOptions,
  skipOptions,
  stateEnvironment,
  transferOptions,
  withTargets,
} from '@davit/tool'

import { say } from './messages.ts'

export const tool = defineTool({
  name: 'davit-distribute',
  summary: 'Send the packages of a manifest to its targets',
  description: [
    'Asks each target once which packages of its profile it lacks, and sends exactly those, as one stream. Nothing becomes active. A target that fails does not stop the others; with --skip-unreachable, a target that cannot be reached is not a failure.',
    'Prints the manifest unchanged.',
  ],
  examples: [
    { command: 'davit-distribute manifest.xml', describe: 'send what is missing' },
    { command: 'davit-distribute -m 10 < manifest.xml', describe: 'send to ten machines at a time' },
    { command: 'davit-distribute --use-substitutes manifest.xml', describe: 'send only what no cache has' },
  ],
  operands: { manifest: 'manifest whose profiles are sent' },
  options: {
    ...profileOptions,
    ...transferOptions,
    ...skipOptions,
    'use-substitutes': {
      type: 'boolean',
      env: ['DAVIT_USE_SUBSTITUTES'],
      describe: 'let targets with Nix fetch packages from their own caches where possible',
    },
  },
  exitStatus: { 1: 'some packages did not arrive' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-manifest(1)', 'davit-lock(1)', 'davit-activate(1)'],
  interrupted: {
    once: 'nothing was activated; the same command sends what is missing',
    twice: 'nothing was activated; the same command sends what is missing, and removes what arrived only in part',
  },
  async run({ args, print, readDocument, journal, ...context }) {
    const profile = parseProfileName(args.profile)
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    const store = await openStore(manifest.store, context)
    journal({ profile, manifest: text }, 'preparation')
    if (args.useSubstitutes && store.kind === 'native') context.report(say('no-caches'))
    const outcome = await withTargets(manifest.infrastructure, { ...context, role: 'carry' }, (reached) =>
      distribute(manifest, reached, {
        ...context,
        store,
        maxTransfers: args.maxConcurrentTransfers,
        useSubstitutes: args.useSubstitutes,
        unreachable: args.skipUnreachable ? 'skip' : 'refuse',
      }),
    )
    const { aborted, reason } = context.signal
    if (aborted) throw distributionInterrupted(reason as DavitError, outcome)
    if (outcome.failed.size > 0) throw distributionError(outcome)
    await print(text)
  },
})
