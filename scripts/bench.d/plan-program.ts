// Reads a manifest and the records of an earlier one, and plans the transition: plan MANIFEST RECORDS. Prints its times.
import { readFileSync } from 'node:fs'
import { Manifest, parseDocument } from '../../packages/documents/documents/src/documents.ts'
import {
  activitiesOf,
  type ObservedMapping,
  planTransition,
} from '../../packages/planners/transition/src/transition.ts'
import type { PlanTimes } from './plan-documents.ts'

const [manifestFile = '', recordsFile = ''] = process.argv.slice(2)
const began = performance.now()
const next = parseDocument(Manifest, readFileSync(manifestFile, 'utf8'), { file: manifestFile })
const read = performance.now()
const observed = (JSON.parse(readFileSync(recordsFile, 'utf8')) as readonly WrittenRecord[]).map(recordFrom)
const known = performance.now()
const transition = planTransition(next, observed, { upgrade: 'upgrade', changed: 'keep' })
const planned = performance.now()
const times: PlanTimes = {
  manifest: read - began,
  records: known - read,
  plan: planned - known,
  activities: activitiesOf(transition).length,
}
console.log(JSON.stringify(times))

type Service = ObservedMapping['service']
type Containers =
  Service['providesContainers'] extends ReadonlyMap<infer Name, infer Properties>
    ? readonly (readonly [Name, Properties])[]
    : never

interface WrittenRecord extends Omit<ObservedMapping, 'service'> {
  readonly service: Omit<Service, 'providesContainers'> & { readonly providesContainers: Containers }
}

function recordFrom({ service, ...rest }: WrittenRecord): ObservedMapping {
  return { ...rest, service: { ...service, providesContainers: new Map(service.providesContainers) } }
}
