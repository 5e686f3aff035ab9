import { describeOwner, encodeOwner, type LockState } from '@davit/deployment-lock'
import { printableLines, renderTime } from '@davit/diagnostics'
import { writeJson } from '@davit/languages'

type Held = Extract<LockState, { readonly kind: 'held' }>

/** Renders a line for each target, for people. */
export function renderLocks(states: readonly LockState[]): string {
  return printableLines(states.map((state) => `${state.target}: ${textOf(state)}`))
}

/** Encodes the same as a document in JSON. */
export function encodeLocks(profile: string, states: readonly LockState[]): string {
  return `${writeJson({ document: 'locks', version: 1, profile, targets: states.map(fieldsOf) })}\n`
}

function textOf(state: LockState): string {
  switch (state.kind) {
    case 'free':
      return 'not locked'
    case 'unknown':
      return 'cannot be asked'
    case 'held':
      return heldText(state)
  }
}

function heldText({ owner, life, since, until, isOver, token }: Held): string {
  const who = owner === undefined ? 'somebody' : describeOwner(encodeOwner(owner))
  const parts = [
    `locked by ${who}, ${LIVES[life]}`,
    since === undefined ? 'since when is unknown' : `since ${renderTime(since)}`,
    leaseText(until, { life, isOver: isOver === true }),
    ...(token === undefined ? [] : [`token ${token}`]),
  ]
  return parts.join('; ')
}

const LIVES = {
  alive: 'which is alive',
  dead: 'which has ended: whoever asks next gets the lock',
  unknown: 'of which it is not known here whether it is alive',
} satisfies Record<Held['life'], string>

function leaseText(
  until: Date | undefined,
  { life, isOver }: Pick<Held, 'life'> & { readonly isOver: boolean },
): string {
  if (until === undefined) return 'its lease begins when somebody else asks for the lock'
  const end = renderTime(until)
  if (!isOver) return `until ${end} unless it is renewed`
  return life === 'dead'
    ? `its lease was over at ${end}`
    : `its lease was over at ${end}: whoever asks next gets the lock`
}

function fieldsOf(state: LockState) {
  const { target } = state
  switch (state.kind) {
    case 'free':
      return { target, state: 'free' }
    case 'unknown':
      return { target, state: 'unknown', reason: state.error.message }
    case 'held': {
      const { token, owner, life, since, until, isOver } = state
      const who = owner && { user: owner.user, host: owner.host, pid: owner.holder.pid }
      const times = { since: since?.toISOString(), until: until?.toISOString(), isOver: isOver === true }
      return { target, state: 'held', token, owner: who, holder: life, ...times }
    }
  }
}
