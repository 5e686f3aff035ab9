import type { CarryOutTerms } from '@davit/deployment'
import type { MadeFrom, Manifest } from '@davit/documents'
import { openStore } from '@davit/store'
import { onSelected, type StepContext } from '@davit/tool'

interface Arguments {
  readonly repair: boolean
  readonly targetProfiles: boolean
}

interface Recording {
  readonly next: Manifest
  readonly text: string
  readonly madeFrom: MadeFrom
  readonly lockUse: CarryOutTerms['lockUse']
  readonly selection: CarryOutTerms['selection']
}

/** How the run is recorded here, and told to targets; a repair wants nothing new. */
export async function recordingOf(
  { next, text, lockUse, selection, madeFrom }: Recording,
  context: StepContext<Arguments>,
): Promise<Pick<CarryOutTerms, 'wanted' | 'lockUse'>> {
  const { repair, targetProfiles: isTold } = context.args
  if (repair) return { lockUse }
  const store = await openStore(next.store, context)
  const wanted = { text, isTold, madeFrom, store }
  const told = { ...next, profiles: onSelected(next.profiles, selection), text }
  return { wanted, lockUse: isTold ? { ...lockUse, wanted: told } : lockUse }
}
