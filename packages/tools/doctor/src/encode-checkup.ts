import type { Checkup, Subject } from '@davit/checkup'
import { writeJson } from '@davit/languages'

/** Encodes a checkup as a document in JSON. */
export function encodeCheckup({ profile, coordinator, machines }: Checkup): string {
  return `${writeJson({
    document: 'checkup',
    version: 1,
    profile,
    coordinator: fieldsOf(coordinator),
    machines: machines.map((machine) => ({ targets: machine.targets, ...fieldsOf(machine) })),
  })}\n`
}

function fieldsOf({ name, checks }: Subject) {
  return { name, checks }
}
