import { type Plan, stepsIn } from '@davit/deployment'
import type { Report, ReportEvent } from '@davit/diagnostics'
import type { MadeFrom, PlannedStep, ToldMessage } from '@davit/documents'
import { hashOfManifest } from '@davit/tool'

/** What a generation keeps of the transition to it. */
export interface TransitionNotes {
  /** Passes everything on, and remembers notes and warnings. */
  readonly report: Report
  readonly tellPlan: (plan: Plan) => void
  /** The transition to a manifest, which has just been carried out. */
  of(manifest: string): NonNullable<MadeFrom['transition']>
}

/** Takes notes of a transition that begins now. */
export function transitionNotes(report: Report): TransitionNotes {
  const began = new Date().toISOString()
  const messages: ToldMessage[] = []
  let steps: readonly PlannedStep[] = []
  return {
    report(event) {
      if (messages.length < MAX_MESSAGES) messages.push(...messageIn(event))
      report(event)
    },
    tellPlan: (plan) => void (steps = stepsIn(plan)),
    of: (manifest) => ({
      manifest: hashOfManifest(manifest),
      began,
      ended: new Date().toISOString(),
      steps,
      messages,
    }),
  }
}

const MAX_MESSAGES = 1_000
const MAX_TEXT = 2_000

/** The steps of the plan are kept anyway. */
function messageIn(event: ReportEvent): readonly ToldMessage[] {
  if ((event.kind !== 'note' && event.kind !== 'warning') || String(event.code) === 'activity-planned') return []
  const { kind, code, message, target } = event
  return [{ kind, code, message: message.slice(0, MAX_TEXT), ...(target === undefined ? {} : { target }) }]
}
