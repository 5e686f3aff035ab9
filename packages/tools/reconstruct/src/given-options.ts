import type { MadeFrom } from '@davit/documents'

export interface GivenArguments {
  readonly infrastructure: string | undefined
  readonly set: boolean
  readonly closures: boolean
  readonly partial: boolean
  readonly prefer: string | undefined
  readonly as: string | undefined
}

type OrderOptions = NonNullable<MadeFrom['order']>['options']

/** What the user has asked for, as it is kept with the generation. */
export function givenOptions({ infrastructure, set, closures, partial, prefer, as }: GivenArguments): OrderOptions {
  const chosen = Object.entries({ set, closures, partial, prefer, as }).filter(([, value]) => Boolean(value))
  return { infrastructure: infrastructure ?? '', ...(Object.fromEntries(chosen) as OrderOptions) }
}
