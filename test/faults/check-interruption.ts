import { differences } from './differences.ts'
import type { Kind } from './points.ts'
import type { Evidence, Goals } from './round.ts'

/** Whether status and last words of the interrupted run were true. */
export function checkInterruption(evidence: Evidence, goals: Goals): readonly string[] {
  return [...checkStatus(evidence), ...checkWords(evidence), ...checkClaim(evidence, goals)]
}

function checkStatus({ fault, interrupted: { status, struck } }: Evidence): readonly string[] {
  const expected = struck === undefined ? [0] : STATUS[fault.kind]
  return expected.includes(status)
    ? []
    : [`the interrupted run ended with status ${status}, not with ${expected.join(' or ')}`]
}

/** A signal that comes when all is done changes nothing any more. */
const STATUS: Readonly<Record<Kind, readonly (number | null)[]>> = {
  'tool:INT': [0, 130],
  'tool:TERM': [0, 143],
  'tool:HUP': [0, 129],
  'tool:KILL': [137],
  'env:INT': [0, 130],
  'env:TERM': [0, 143],
  'env:HUP': [0, 129],
  'env:KILL': [null],
  cut: [0, 1, 2, 3, 69],
  sshd: [0, 1, 2, 3, 69],
  reboot: [0, 1, 2, 3, 69],
}

const KILLED = 137

function checkWords({ interrupted: { status, stderr } }: Evidence): readonly string[] {
  const text = stderr()
  const isBug = /bug in davit|^ {4}at |nothing is left to wait for/m.test(text)
  const mustSpeak = status !== null && status !== 0 && status !== KILLED
  return [
    ...(isBug ? ['the interrupted run was a bug'] : []),
    ...(mustSpeak && !/^davit-[a-z]+: /m.test(text) ? ['the interrupted run did not say why it ended'] : []),
  ]
}

/** Those who end with 0 have done all; those who say that all is as it was have done nothing, or undone it. */
function checkClaim({ interrupted, between, start }: Evidence, { before, next }: Goals): readonly string[] {
  if (between === undefined) return []
  const isUndone = /all is as it was before|nothing was (done|begun|changed)/.test(interrupted.stderr())
  const claimed = interrupted.status === 0 ? next : isUndone ? before : undefined
  if (claimed === undefined) return []
  // Of a host that was rebooted behind its back the run cannot know.
  const rebooted = between.filter(({ bootId }, index) => bootId !== start[index]?.bootId).map(({ host }) => `${host}:`)
  const isAlive = (instance: string) => !rebooted.some((host) => instance.startsWith(host))
  return differences(
    `the interrupted run said that all is ${claimed === next ? 'done' : 'as it was'}`,
    [...claimed.instances.keys()].filter(isAlive),
    between.flatMap(({ running }) => running).filter(isAlive),
  )
}
