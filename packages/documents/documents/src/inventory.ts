import * as v from 'valibot'
import type { Format } from './format.ts'
import { list } from './quick-schemas.ts'

const drift = list(v.object({ kind: v.string(), text: v.string() }))

/** What davit-query prints in JSON, as far as it is read again. */
const inventory = v.object({
  targets: list(
    v.object({
      target: v.string(),
      error: v.exactOptional(v.object({ message: v.string() })),
      services: list(
        v.object({
          key: v.string(),
          container: v.string(),
          state: v.exactOptional(v.string()),
          status: v.exactOptional(v.string()),
          drift,
        }),
      ),
    }),
  ),
})
export type InventoryDocument = v.InferOutput<typeof inventory>

export const InventoryDocument: Format<InventoryDocument> = {
  name: 'inventory',
  title: 'an inventory',
  version: 1,
  madeBy: 'davit-query --status -f json',
  header: 'required',
  schema: inventory,
}
