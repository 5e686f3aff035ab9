import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'

import { placeIn, type Journal, type JournalEntry, openJournal } from '@davit/coordinator-state'
import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'

import type { Host } from './host.ts'
import { eventEntries } from './event-entries.ts'
import { endOf } from './render-error.ts'
import { say } from './messages.ts'
import { coordinatorDirectory } from './state-directory.ts'

/** The deployment that a run is about to act on. */
export interface JournalledRun {
  readonly profile: ProfileName
  /** Text of the manifest that the run uses. */
  readonly manifest?: string | undefined
}

/**
 * A `change` requires a journal. So does a `preparation`, which however does not create one for a deployment unknown here. A
 * `release` frees something, such as a lock or space on a full disk, and is done even if its journal cannot be written.
 */
export type JournalPurpose = 'change' | 'preparation' | 'release'

/** Writes what a tool does to a deployment into the journal of the deployment, from `begin` on. */
export interface RunJournal {
  /** Name of the run, which the steps of one deployment share, once it is known. */
  readonly run: string | undefined
  begin(run: JournalledRun, purpose: JournalPurpose): void
  readonly report: Report
  /** Ends the journal of the run, with the error that ended the tool, if any. */
  end(status: number, error?: unknown): void
}

export interface JournalOptions {
  readonly tool: string
  readonly host: Host
  /** Reports to people. */
  readonly report: Report
}

/** Variable that passes the name of the run to its tools. */
export const RUN_VARIABLE = 'DAVIT_RUN'

export function createRunJournal({ tool, host, report }: JournalOptions): RunJournal {
  const id = randomBytes(6).toString('hex')
  const events = eventEntries()
  const attempt = attempts(report)
  const entryOf = (fields: object) => ({ time: new Date().toISOString(), id, ...fields }) as JournalEntry
  let run = runIn(host)
  let journal: LateJournal | undefined
  return {
    get run() {
      return run
    },
    begin(deed, purpose) {
      const place = placeOf(deed, { host, purpose, run })
      if (place === undefined) return
      run ??= `${tool}.${compactTime(new Date())}.${id}`
      const fields = { kind: 'begin', version: 1, run, tool, profile: deed.profile, ...hashOf(deed), ...whoIn(host) }
      const begun = lateJournal(place, entryOf(fields))
      attempt[purpose === 'release' ? 'anyway' : 'first'](() => begun.sync())
      journal = begun
    },
    report(event) {
      const fields = events.entryOf(event)
      if (fields !== undefined) attempt.anyway(() => journal?.append(entryOf(fields)))
      report(event)
    },
    end(status, error) {
      attempt.anyway(() => {
        journal?.append(entryOf({ kind: 'end', status, ...endOf(error), ...events.outcome() }))
        journal?.sync()
      })
    },
  }
}

type LateJournal = Pick<Journal, 'append' | 'sync'>

/** A journal that begins with an entry as soon as that can be written: the run itself may free the space. */
function lateJournal(place: string, beginning: JournalEntry): LateJournal {
  let journal: Journal | undefined
  let isBegun = false
  const begun = () => {
    journal ??= openJournal(place)
    if (!isBegun) journal.append(beginning)
    isBegun = true
    return journal
  }
  return { append: (entry) => begun().append(entry), sync: () => begun().sync() }
}

/** Name of the run that a tool begins whose steps are tools: that in the environment, or a new one, with the process in it. */
export function nameOfRun(tool: string, host: Host): string {
  return host.environment[RUN_VARIABLE] || `${tool}.${compactTime(new Date())}.${processIdentity().pid}`
}

/** Name of the run in the environment, if it is safe to show: somebody else may have set it. */
function runIn({ environment }: Host): string | undefined {
  const run = environment[RUN_VARIABLE] ?? ''
  return /^[\w.:+-]{1,100}$/.test(run) ? run : undefined
}

interface Attempts {
  /** Writes before anything is done; a failure stops the tool. */
  first(write: () => void): void
  /** Writes while work goes on; a failure is reported once. */
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
        if (!isTold) report(say('journal-not-written', { reason: error.message }))
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

/** Place of the journal; undefined for a deployment that this coordinator does not know and will not know after this run. */
function placeOf({ profile }: JournalledRun, { host, purpose, run }: PlaceTerms): string | undefined {
  try {
    const place = placeIn(coordinatorDirectory(host), profile)
    // Within a run, a preparation is followed by a change.
    const isToBeKnown = purpose === 'change' || (purpose === 'preparation' && run !== undefined)
    return isToBeKnown || existsSync(place) ? place : undefined
  } catch (error) {
    if (purpose === 'preparation' && error instanceof DavitError) return undefined
    throw error
  }
}

function hashOf({ manifest }: JournalledRun) {
  return manifest === undefined ? {} : { manifest: hashOfManifest(manifest) }
}

/** By this, records name a manifest: SHA-256 of its text, in hexadecimal. */
export function hashOfManifest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
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
