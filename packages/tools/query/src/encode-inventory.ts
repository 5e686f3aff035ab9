import { driftText, type Instance, type Inventory, type TargetInventory, targetDriftText } from '@davit/inventory'
import { writeJson } from '@davit/languages'

/** Encodes an inventory as a document in JSON. */
export function encodeInventory({ profile, targets }: Inventory): string {
  return `${writeJson({ document: 'inventory', version: 1, profile, targets: targets.map(targetFields) })}\n`
}

function targetFields({ target, error, profile, instances, drift }: TargetInventory) {
  return {
    target,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(profile?.path === undefined ? {} : { profile: profile.path }),
    services: instances.map(instanceFields),
    drift: drift.map((one) => ({ kind: one.kind, text: targetDriftText(one) })),
  }
}

function instanceFields({ since, drift, ...fields }: Instance) {
  return {
    ...fields,
    ...(since === undefined ? {} : { since: since.toISOString() }),
    drift: drift.map((one) => ({ kind: one.kind, text: driftText(one) })),
  }
}
