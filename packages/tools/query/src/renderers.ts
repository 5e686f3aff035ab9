import type { Inventory } from '@davit/inventory'

import type { FORMATS } from './description.ts'
import { encodeInventory } from './encode-inventory.ts'
import { profileManifestsInNix, profileManifestsInXml } from './profile-manifests.ts'
import { renderContainers, renderServices } from './render-lists.ts'
import { type Width, renderInventory } from './render-inventory.ts'

type Format = (typeof FORMATS)[number]

export const RENDERERS: Readonly<Record<Format, (inventory: Inventory, width: Width) => string>> = {
  services: renderServices,
  containers: renderContainers,
  table: renderInventory,
  json: encodeInventory,
  xml: profileManifestsInXml,
  nix: profileManifestsInNix,
}
