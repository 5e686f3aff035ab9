import { isSameDeployment } from '@davit/comparison'
import { currentGeneration } from '@davit/coordinator-state'
import { encodeDocument, Manifest } from '@davit/documents'
import { withPartProfiles } from '@davit/realisation'
import { isSelected, partError, partOf, type Selection, termsOf } from '@davit/selection'
import { openStore } from '@davit/store'
import { deploymentOf, type DocumentInput, type Run, selectionIn } from '@davit/tool'

import { refuseUnfinished } from './refuse-unfinished.ts'

type GivenManifest = Pick<DocumentInput<Manifest>, 'value' | 'text'>

export interface SelectOptions {
  readonly profile: string
  readonly on: readonly string[]
  /** What is deployed; without it, that is the current generation. */
  readonly old: Manifest | undefined
  /** Format of the part; without it, that of the manifest. */
  readonly format?: 'xml' | 'json' | undefined
}

export interface SelectedPart {
  /** What is selected, in words without patterns. */
  readonly terms: readonly string[]
  /** Makes the part of the manifest that has what is selected as the manifest has it, and the rest as it is deployed. */
  readonly part: () => Promise<GivenManifest>
}

/** Finds out what `--on` selects of a manifest and of what is deployed; undefined if it says nothing. */
export async function selectPart(
  given: GivenManifest,
  { on, old, format, ...options }: SelectOptions,
  run: Run,
): Promise<SelectedPart | undefined> {
  const { place } = deploymentOf({ ...run, args: options })
  const current = old ?? (await currentGeneration(place))?.manifest ?? nothingIn(given.value)
  const selection = selectionIn([given.value, current], on)
  if (selection === undefined) return undefined
  return {
    terms: termsOf(selection),
    async part() {
      if (old === undefined) await refuseUnfinished(place, { current, selection })
      const value = await partIn({ next: given.value, current, selection }, run)
      return { value, text: textOf(value, given, format) }
    },
  }
}

/** What is deployed before the first generation. */
function nothingIn({ store }: Manifest): Manifest {
  return {
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
    store,
  }
}

interface Change {
  readonly next: Manifest
  readonly current: Manifest
  readonly selection: Selection
}

async function partIn(change: Change, run: Run): Promise<Manifest> {
  const { next, current, selection } = change
  const outcome = partOf(change)
  if (outcome.kind === 'refused') throw partError({ ...outcome, selection, manifests: [next, current] })
  const part = await withPartProfiles(outcome.manifest, outcome.mixed, {
    next,
    current,
    isSelected: (instance) => isSelected(selection, instance),
    openStore: () => openStore(next.store, run),
  })
  return isSameDeployment(part, next) ? next : part
}

/** The text as given, if it says the same in the wanted format. */
function textOf(part: Manifest, { value, text }: GivenManifest, format: SelectOptions['format']): string {
  const given = text.trimStart().startsWith('<') ? 'xml' : 'json'
  return part === value && (format ?? given) === given ? text : encodeDocument(Manifest, part, format ?? given)
}
