import { type Instance, placeOfValue } from '@davit/stack'
import { parseSchedule, TARGET_PROGRAMS } from '@davit/stack-library'
import { textIn } from '../endpoints.ts'
import type { Draft, Emitting } from '../unit.ts'
import { jsonOf } from '../values.ts'
import { type Problem, reportIncomplete } from './incomplete.ts'
import { BY_NODE, startScript } from './start-script.ts'
import { targetsOf } from './targets.ts'

/** An event: a shipped program tells other services when it is time. */
export function emitEvent(leaf: Instance, emitting: Emitting): Draft | undefined {
  const problem = problemOf(leaf, emitting)
  if (problem !== undefined) return reportIncomplete(leaf, problem, emitting)
  const endpoints = targetsOf(leaf).map((target) => emitting.endpointIn(target))
  const [port] = emitting.portsOf(leaf)
  return {
    type: 'process',
    packageFor(addresses) {
      const targets = endpoints.map((endpoint) => endpoint && addresses.of(endpoint).map(({ url }) => url))
      const settings = JSON.stringify({ event: leaf.fqn, schedule: textIn(leaf, 'schedule'), port, targets })
      const payload = jsonOf(leaf.properties.get('payload') ?? null)
      const script = startScript({
        files: new Map([['settings.json', `${settings.slice(0, -1)},"payload":${payload}}`]]),
        paths: [`set -- '$program/main.mjs' '$out/settings.json'`],
        words: BY_NODE,
        readyPort: port,
      })
      return { build: { script, inputs: { program: { source: TARGET_PROGRAMS.event, name: 'event' } } } }
    },
  }
}

function problemOf(leaf: Instance, { portsOf }: Emitting): Problem | undefined {
  const { fqn } = leaf
  const schedule = textIn(leaf, 'schedule')
  if (targetsOf(leaf).length === 0) {
    return { message: `'${fqn}' tells nobody`, hint: 'name services as `target` or `targets`' }
  }
  if (schedule !== undefined) return scheduleProblem(leaf, schedule)
  if (portsOf(leaf).length > 0) return undefined
  const hint = 'give it a `schedule`, or a `port` at which others can raise it'
  return { message: `'${fqn}' never comes about`, hint }
}

function scheduleProblem(leaf: Instance, schedule: string): Problem | undefined {
  try {
    parseSchedule(schedule)
    return undefined
  } catch (error) {
    const message = `the schedule ${JSON.stringify(schedule)} of '${leaf.fqn}' is none: ${(error as Error).message}`
    const hint = 'write minute, hour, day, month and day of the week in UTC, or @every 30s'
    return { message, hint, place: placeOfValue(leaf, 'schedule') }
  }
}
