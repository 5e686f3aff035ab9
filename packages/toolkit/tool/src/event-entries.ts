import { type Diagnostic, type ReportedStep, type ReportEvent, renderDiagnostic } from '@davit/diagnostics'

/** Converts what a tool reports into entries of a journal, without time and id. */
export interface EventEntries {
  /** Entry for an event; undefined for details, which are not journalled. */
  entryOf(event: ReportEvent): object | undefined
  /** Fields of the last entry. */
  outcome(): { readonly generation?: number }
}

export function eventEntries(): EventEntries {
  const numbered = stepNumbers()
  let generation: number | undefined
  return {
    entryOf(event) {
      switch (event.kind) {
        case 'started':
        case 'finished':
        case 'failed':
          return { kind: event.kind, ...numbered(event), ...stepFields(event), ...failureFields(event) }
        case 'note':
        case 'warning': {
          generation = event.generation ?? generation
          const { fields: _, ...told } = event
          return told
        }
        case 'diagnostic':
          return {
            kind: event.diagnostic.severity,
            ...codeOf(event.diagnostic),
            message: renderDiagnostic(event.diagnostic),
          }
        case 'detail':
          return undefined
      }
    },
    outcome: () => (generation === undefined ? {} : { generation }),
  }
}

function codeOf(diagnostic: Diagnostic) {
  return 'code' in diagnostic ? { code: diagnostic.code } : {}
}

type StepEvent = ReportEvent & ReportedStep

/** Numbers the steps, since their names are long; at the end of a step, adds how long it took. */
function stepNumbers(): (event: StepEvent) => { readonly number: number; readonly seconds?: number } {
  const busy = new Map<string, { readonly number: number; readonly since: number }>()
  let last = 0
  return ({ kind, id }) => {
    const begun = busy.get(id)
    if (kind !== 'started' && begun !== undefined) {
      busy.delete(id)
      return { number: begun.number, seconds: Math.round(performance.now() - begun.since) / 1000 }
    }
    last += 1
    if (kind === 'started') busy.set(id, { number: last, since: performance.now() })
    return { number: last }
  }
}

function stepFields({ step, target, activity }: StepEvent) {
  const subject = activity && { activity: activity.kind, service: activity.service, container: activity.container }
  return { step, ...(target === undefined ? {} : { target }), ...subject }
}

function failureFields(event: StepEvent) {
  if (event.kind !== 'failed') return {}
  return { message: event.message, ...(event.log === undefined ? {} : { log: event.log }) }
}
