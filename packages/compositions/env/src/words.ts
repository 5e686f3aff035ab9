import { dashed } from '@davit/tool'

import type { ModelOrder } from './model-options.ts'
import type { Order } from './options.ts'

/** Names the file in which steps hand on what a generation is made from. */
export const ORIGIN_VARIABLE = 'DAVIT_ORIGIN'

type Values = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Words of a command line: `{ maxJobs: 3, showTrace: true }` → `--max-jobs=3 --show-trace`. */
export function wordsOf(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const option = `--${dashed(name)}`
    if (typeof value === 'boolean') return value ? [option] : []
    return value === undefined ? [] : [value].flat().map((one) => `${option}=${one}`)
  })
}

/** Words for davit-normalize. */
export function modelWords(order: ModelOrder & { readonly store: string | undefined }): readonly string[] {
  const { services, infrastructure, distribution, packages, architecture, undeploy } = order
  const { extraParams, store, deployState, modules, showTrace } = order
  const files = { services, infrastructure, distribution, packages, architecture, undeploy }
  return wordsOf({ modules, ...files, extraParams, store, deployState, showTrace })
}

/** Words for davit-reconstruct, for what a run wanted that was cut off, or for what was deployed before it. */
export function reconstructionWords({ resume, prefer, infrastructure }: Order): readonly string[] {
  const what = resume ? { wanted: true, prefer } : { prefer: 'profile' }
  const operand = infrastructure === undefined ? [] : [infrastructure]
  return [...wordsOf({ ...what, closures: true, format: 'json' }), ...operand]
}

/** Words for davit-activate. */
export function activationWords(order: Order): readonly string[] {
  const { dryRun, undeploy, noUpgrade, takeOver, noRollback, repair, restartChanged, abandon, noLock } = order
  const { on, noMigration, restore, direct, confirm, besideOriginal } = order
  return wordsOf({
    on,
    dryRun,
    undeploy,
    noUpgrade,
    noMigration,
    restore,
    direct,
    confirm,
    takeOver,
    besideOriginal,
    noRollback,
    repair,
    restartChanged,
    abandon,
    noLock,
    noTargetProfiles: order.noTargetProfiles,
    plan: order.plan,
  })
}

/** Words for davit-lock. A repair reaches nothing new. */
export function lockWords({ on, noTargetProfiles, repair }: Order): readonly string[] {
  return wordsOf({ on, noTargetProfiles: noTargetProfiles || repair })
}

/** Words for davit-set. */
export function recordWords(order: Order, generation: string | undefined): readonly string[] {
  const { on, noLock } = order
  return [...profileWords(order), ...wordsOf({ on, noLock, generation })]
}

/** Words for davit-delete-state, given the file with the manifest before. */
export function deletionWords({ on, noLock, dryRun }: Order, oldManifest: string): readonly string[] {
  return wordsOf({ on, noLock, dryRun, onceDeployed: dryRun, oldManifest })
}

/** Words about what davit-set leaves alone, which davit-activate --check does not compare then. */
export function profileWords({ noTargetProfiles, noCoordinatorProfile }: Order): readonly string[] {
  return wordsOf({ noTargetProfiles, noCoordinatorProfile })
}

/** Words for davit-generations, if the order is only about generations. */
export function generationWords(order: Order): readonly string[] | undefined {
  const { listGenerations, deleteGenerations, deleteAllGenerations, forget } = order
  const wanted = { delete: deleteGenerations, deleteAll: deleteAllGenerations, forget }
  const words = wordsOf(wanted)
  return words.length > 0 || listGenerations ? words : undefined
}

/** Variables for the steps that read models. */
export function variablesOfModels(order: ModelOrder): Readonly<Record<string, string>> {
  return { DAVIT_CLIENT_INTERFACE: order.interface, DAVIT_TARGET_PROPERTY: order.targetProperty }
}

/** Variables for what concerns several steps. */
export function variablesOf(order: Order): Readonly<Record<string, string>> {
  const flag = (isOn: boolean) => (isOn ? '1' : '')
  return {
    DAVIT_PROFILE: order.profile,
    ...variablesOfModels(order),
    DAVIT_MAX_CONCURRENT_TRANSFERS: String(order.maxConcurrentTransfers),
    DAVIT_USE_SUBSTITUTES: flag(order.useSubstitutes),
    DAVIT_ORIGINAL_PROFILE: flag(order.originalProfile),
    DAVIT_SKIP_UNREACHABLE: flag(order.skipUnreachable),
    // Whoever does not only look means what the documents say.
    DAVIT_TRUST_PROGRAMS: flag(order.trustPrograms || !order.dryRun),
    DAVIT_ACTIVITY_TIMEOUT: String(order.activityTimeout ?? ''),
    // Steps are told what it means.
    DAVIT_ON: '',
    // Steps get files of their own.
    [ORIGIN_VARIABLE]: '',
  }
}
