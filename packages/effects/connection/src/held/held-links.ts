import type { Report } from '@davit/diagnostics'
import type { Environment } from '@davit/process'
import { handshakeLanes } from '../handshake-lanes.ts'
import { hostKeyPolicy } from '../host-key-policy.ts'
import { limiter } from '../limiter.ts'
import { openLink } from '../open-link.ts'
import type { SshLink } from '../ssh-link.ts'
import { ATTEMPTS, HANDSHAKES } from '../ssh-links.ts'
import type { SshRoute } from '../ssh-route.ts'
import { type Absences, absences } from './absences.ts'
import { HeldLink } from './held-link.ts'

/** Who asks for a link. */
export interface Asker {
  readonly report: Report
  /** Whether it was connected before, so that a machine that did not answer is tried again. */
  readonly isReturning: boolean
  readonly attempts?: number | undefined
}

export interface HeldLinksOptions {
  readonly environment: Environment
  /** Milliseconds. */
  readonly now: () => number
}

/** How long a link that is to be used again may take to show that it still works. */
const PROOF_MILLISECONDS = 5_000

interface Entry {
  readonly link: Promise<HeldLink>
  isOpen: boolean
  /** All who wait for it. */
  readonly reports: Set<Report>
}

/** Links that outlive those who asked for them: one for each way in which ssh would reach an account. */
export class HeldLinks {
  readonly #closing = new AbortController()
  readonly #lanes = handshakeLanes(limiter(HANDSHAKES))
  readonly #entries = new Map<string, Entry>()
  readonly #opened = new Set<SshLink>()
  readonly #absences: Absences
  readonly #environment: Environment

  constructor({ environment, now }: HeldLinksOptions) {
    this.#environment = environment
    this.#absences = absences(now)
  }

  /** Returns the link along a route; opens one if there is none that is as good as a new one would be. */
  async link(route: SshRoute, asker: Asker): Promise<HeldLink> {
    const key = keyOf(route)
    for (;;) {
      const entry = this.#entries.get(key)
      if (entry === undefined) return this.#begin(key, route, asker)
      if (!entry.isOpen) {
        entry.reports.add(asker.report)
        return entry.link
      }
      const held = await entry.link
      if ((await this.#isGood(held, route, asker)) && !held.isOver) return held
      this.#forget(key, entry)
      held.retire()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    // Later ones first, since they may go through earlier ones.
    await Promise.all([...this.#opened].toReversed().map((link) => link.close()))
  }

  #begin(key: string, route: SshRoute, asker: Asker): Promise<HeldLink> {
    if (!asker.isReturning) this.#absences.check(key)
    const reports = new Set([asker.report])
    const report: Report = (event) => {
      for (const tell of reports) tell(event)
    }
    const opening = async (): Promise<HeldLink> => {
      try {
        const link = await this.#open(route, { ...asker, report })
        this.#absences.delete(key)
        entry.isOpen = true
        link.onEnd(() => this.#forget(key, entry))
        return new HeldLink(link, () => this.#open(route, asker))
      } catch (error) {
        this.#forget(key, entry)
        this.#absences.note(key, error)
        throw error
      }
    }
    const entry: Entry = { link: Promise.resolve().then(opening), isOpen: false, reports }
    this.#entries.set(key, entry)
    return entry.link
  }

  async #open({ host, through }: SshRoute, asker: Asker): Promise<SshLink> {
    const jump = through === undefined ? undefined : await this.link(through, asker)
    const { report, attempts = ATTEMPTS } = asker
    const { signal } = this.#closing
    const context = { environment: this.#environment, report, attempts, lanes: this.#lanes, signal }
    const link = await openLink(host, jump?.link, context)
    this.#opened.add(link)
    link.onEnd(() => this.#opened.delete(link))
    if (signal.aborted) await link.close()
    signal.throwIfAborted()
    return link
  }

  /** Whether the server of an open link answers; throws if its host key is no longer accepted. */
  async #isGood({ link }: HeldLink, { through }: SshRoute, asker: Asker): Promise<boolean> {
    if (through !== undefined) await this.link(through, asker)
    const hostKeys = await hostKeyPolicy(link.configuration, asker.report)
    const refusal = hostKeys.check(link.hostKey)
    if (refusal !== undefined) throw refusal
    await hostKeys.remember(link.hostKey)
    return link.answers(PROOF_MILLISECONDS)
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}

/** Everything that determines how an account is reached; not how its address is spelled, or which file configures it. */
function keyOf({ host, through }: SshRoute): string {
  const { address: _address, configurationFile: _file, ...settings } = host
  return JSON.stringify([settings, through === undefined ? null : keyOf(through)])
}
