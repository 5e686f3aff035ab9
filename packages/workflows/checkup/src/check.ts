/** What is looked at, on the coordinator or on a machine with targets. */
export const TOPICS = [
  'versions',
  'ssh',
  'keys',
  'state',
  'store',
  'packages',
  'disk',
  'clock',
  'nix',
  'isolation',
  'completion',
  'temporary-files',
  'deployment',
  'connection',
  'account',
  'records',
  'profiles',
  'locks',
  'trials',
  'session',
  'restart',
  'rubbish',
] as const
export type Topic = (typeof TOPICS)[number]

/** `ok` if it is as it should be; `note` if nothing has to be done; an `error` keeps davit from working. */
export const SEVERITIES = ['ok', 'note', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

/** One thing that was looked at, and how it is. */
export interface Check {
  readonly topic: Topic
  readonly severity: Severity
  /** How it is. */
  readonly text: string
  /** What that means. */
  readonly means?: string | undefined
  /** What to do about it: a command to type, or one sentence. */
  readonly remedy?: string | undefined
}

export type Finding = Pick<Check, 'text' | 'means' | 'remedy'>

export function fine(topic: Topic, text: string): Check {
  return { topic, severity: 'ok', text }
}

export function found(topic: Topic, severity: Exclude<Severity, 'ok'>, finding: Finding): Check {
  return { topic, severity, ...finding }
}

/** Whether something has to be done. */
export function isWrong({ severity }: Check): boolean {
  return severity === 'warning' || severity === 'error'
}
