import { encodeDocument, ProfileManifestTargets } from '@davit/documents'
import type { Inventory } from '@davit/inventory'
import { writeNix } from '@davit/languages'

export function profileManifestsInXml(inventory: Inventory): string {
  return encodeDocument(ProfileManifestTargets, profileManifestsOf(inventory), 'xml')
}

export function profileManifestsInNix(inventory: Inventory): string {
  return `${writeNix(profileManifestsOf(inventory))}\n`
}

/** Leaves out targets of which nothing is known; one without a profile has an empty one. */
function profileManifestsOf({ targets }: Inventory): ProfileManifestTargets {
  return new Map(
    targets
      .filter(({ error }) => error === undefined)
      .map(({ target, profile }) => [target, { profileManifest: profile?.manifest ?? NOTHING }]),
  )
}

const NOTHING = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
