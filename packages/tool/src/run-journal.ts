import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'

import { deploymentPlace, type Journal, type JournalEntry, openJournal } from '@davit/coordinator-state'
import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'

import type { Host } from './host.ts'
import { eventEntries } from './event-entries.ts'
import { endOf } from './render-error.ts'
import { stateDirectory } from './state-directory.ts'

/** What a run is about to do something to. */
export interface JournalledRun {
  readonly profile: ProfileName
  /** Text of the manifest that it goes by. */
  readonly manifest?: string | undefined
}

/**
 * A `change` is not made without a journal. A `preparation` is not, either, but makes none for a deployment that is not known here.
 * A `release` gives something free, such as a lock, or space on a full disk: that its journal cannot be written is no reason not to.
 */
export type JournalPurpose = 'change' | 'preparation' | 'release'

/** What a tool does to a deployment, as it is written into the journal of that; nothing before `begin`. */
export interface RunJournal {
  /** What the steps of one deployment share, once that is known. */
  readonly run: string | undefined
  begin(run: JournalledRun, purpose: JournalPurpose): void
  readonly report: Report
  /** With the error that has ended the tool, if any. */
  end(status: number, error?: unknown): void
}

export interface JournalOptions {
  readonly tool: string
  readonly host: Host
  /** To people. */
  readonly report: Report
}

/** Names the run to the tools of which it consists. */
export const RUN_VARIABLE = 'DAVIT_RUN'

export function createRunJournal({ tool, host, report }: JournalOptions): RunJournal {
  const id = randomBytes(6).toString('hex')
  const events = eventEntries()
  const attempt = attempts(report)
  let run = runIn(host)
  let journal: Journal | undefined
  const append = (fields: object) => journal?.append({ time: new Date().toISOString(), id, ...fields } as JournalEntry)
  return {
    get run() {
      return run
    },
    begin(deed, purpose) {
      const place = placeOf(deed, { host, purpose, run })
      if (place === undefined) return
      run ??= `${tool}.${compactTime(new Date())}.${id}`
      const fields = { kind: 'begin', version: 1, run, tool, profile: deed.profile, ...hashOf(deed), ...whoIn(host) }
      attempt[purpose === 'release' ? 'anyway' : 'first'](() => {
        journal = openJournal(place)
        append(fields)
        journal.sync()
      })
    },
    report(event) {
      const fields = events.entryOf(event)
      if (fields !== undefined) attempt.anyway(() => append(fields))
      report(event)
    },
    end(status, error) {
      attempt.anyway(() => {
        append({ kind: 'end', status, ...endOf(error), ...events.outcome() })
        journal?.sync()
      })
    },
  }
}

/** As it is shown, and part of lines: others may have set it. */
function runIn({ environment }: Host): string | undefined {
  const run = environment[RUN_VARIABLE] ?? ''
  return /^[\w.:+-]{1,100}$/.test(run) ? run : undefined
}

interface Attempts {
  /** Nothing is done without it. */
  first(write: () => void): void
  /** What is done goes on; it is told once. */
  anyway(write: () => void): void
}

function attempts(report: Report): Attempts {
  let isTold = false
  return {
    first(write) {
      try {
        write()
      } catch (error) {
        if (!(error instanceof DavitError)) throw error
        const { code, message, exitStatus, cause } = error
        const hint = `nothing was changed; ${error.hint}, and run the same command again`
        throw new DavitError(code, message, { exitStatus, hint, cause })
      }
    },
    anyway(write) {
      try {
        write()
      } catch (error) {
        if (!(error instanceof DavitError)) throw error
        if (!isTold) report({ kind: 'warning', message: error.message, hint: 'what is done goes on without it' })
        isTold = true
      }
    },
  }
}

interface PlaceTerms {
  readonly host: Host
  readonly purpose: JournalPurpose
  readonly run: string | undefined
}

/** Nothing for a deployment that this coordinator does not know, and of which it will not know after this, either. */
function placeOf({ profile }: JournalledRun, { host, purpose, run }: PlaceTerms): string | undefined {
  try {
    const place = deploymentPlace(stateDirectory(host), profile)
    // As one of its steps, a preparation is followed by the change.
    const isToBeKnown = purpose === 'change' || (purpose === 'preparation' && run !== undefined)
    return isToBeKnown || existsSync(place) ? place : undefined
  } catch (error) {
    if (purpose === 'preparation' && error instanceof DavitError) return undefined
    throw error
  }
}

function hashOf({ manifest }: JournalledRun) {
  return manifest === undefined ? {} : { manifest: createHash('sha256').update(manifest).digest('hex') }
}

function whoIn({ environment, privileged }: Host) {
  const { user, host, machineId, bootId, pid, startTime, namespace } = processIdentity()
  const { SUDO_USER: sudoUser } = environment
  return { user, ...(privileged && sudoUser ? { sudoUser } : {}), host, machineId, bootId, pid, startTime, namespace }
}

/** `20261121T173205Z` */
function compactTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}
