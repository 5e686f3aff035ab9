import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Host, TestHosts } from './hosts.ts'
import type { Models } from './models.ts'
import { wrapper } from './services.ts'
import { hostOf, type TargetName, targetsOn } from './three-targets.ts'

/** The page is on the third target. */
export type LedgerPlace = Exclude<TargetName, 'three'>

const HOOKS = '/tmp/fault'

/** A hook `FILE` makes what it is for fail or wait, and `FILE.begun` tells that it is there. */
const MEET_HOOK = `meet_hook() {
  [ -e "$1" ] || return 0
  : >"$1.begun"
  case $(cat "$1") in
    fail) echo 'out of order today' >&2; return 1 ;;
    wait) while [ -e "$1" ]; do sleep 0.02; done ;;
  esac
}`

/**
 * Keeps rows as files of a directory. Nobody can write into it unless the service is active, as it has another name then. The state of a
 * service that begins without is empty.
 */
const LEDGER = `${MEET_HOOK}
meet_hook "${HOOKS}.$DAVIT_SERVICE.$1" || exit
cd /var/lib/ledger 2>/dev/null || { mkdir -p /var/lib/ledger && cd /var/lib/ledger; } || exit
case $1 in
  activate) [ -d open ] || mv closed open 2>/dev/null || mkdir open ;;
  deactivate) [ ! -d open ] || mv open closed ;;
  snapshot) if [ -d open ]; then ln -s "$PWD/open" "$DAVIT_SNAPSHOT/rows"; else ln -s "$PWD/closed" "$DAVIT_SNAPSHOT/rows"; fi ;;
  restore) rm -rf new && cp -a "$DAVIT_SNAPSHOT/rows" new && rm -rf open closed && mv new open ;;
  collect-garbage) cd / && rm -rf /var/lib/ledger ;;
esac || exit`

/** Tells clients where the ledger is, while it is active. */
const PAGE = `${MEET_HOOK}
meet_hook "${HOOKS}.$DAVIT_SERVICE.$1" || exit
case $1 in
  activate) cp "$here/at" /tmp/page ;;
  deactivate) rm -f /tmp/page ;;
esac || exit`

/** A tar whose transfers of snapshots have hooks in their middle. */
const TAR = `#!/bin/sh
${MEET_HOOK}
case " $* " in
  *' -cf - -C '*/dysnomia/snapshots/*) hook=${HOOKS}.send ;;
  *' -xof - -C '*/dysnomia/incoming/*) hook=${HOOKS}.receive ;;
  *) exec /usr/bin/tar "$@" ;;
esac
halfway() { head -c 5000; meet_hook "$hook" || exit; cat; }
case $hook in
  *.send) { /usr/bin/tar "$@" || echo failed >&2; } | halfway ;;
  *) { halfway || echo failed >&2; } | /usr/bin/tar "$@" ;;
esac
`

/** A system of a ledger, which keeps rows, and a page that depends on it, on three hosts. */
export class LedgerSystem {
  readonly set: TestHosts
  /** Rows that a client was told are kept. */
  readonly confirmed = new Set<string>()
  #client: NodeJS.Timeout | undefined
  #rows = 0

  private constructor(set: TestHosts) {
    this.set = set
  }

  static async on(set: TestHosts): Promise<LedgerSystem> {
    const install = 'printf %s "$1" >/usr/local/bin/tar && chmod 755 /usr/local/bin/tar'
    await Promise.all(set.hosts.map((host) => host.sh(install, TAR)))
    return new LedgerSystem(set)
  }

  models(ledger: LedgerPlace): Models {
    return {
      services: {
        ledger: wrapper({ body: LEDGER }, { deployState: true }),
        page: wrapper({ body: PAGE, env: { at: ledger } }, { dependsOn: ['ledger'] }),
      },
      infrastructure: targetsOn(this.set),
      distribution: { ledger: [ledger], page: ['three'] },
    }
  }

  host(target: TargetName): Host {
    return hostOf(this.set, target)
  }

  /** Path of a file on a host, for this process. */
  path(target: TargetName, file: string): string {
    const { directory } = this.set
    const pid = readFileSync(join(directory, 'hosts', this.host(target).name, 'pid'), 'utf8').trim()
    return `/proc/${pid}/root${file}`
  }

  /** Where clients find the ledger, or undefined while nobody is served. */
  servedAt(): LedgerPlace | undefined {
    return textAt(() => this.path('three', '/tmp/page')) as LedgerPlace | undefined
  }

  /** Writes a row where the page says; it counts if that succeeds. */
  write(content = ''): void {
    const place = this.servedAt()
    if (place === undefined) return
    const row = String((this.#rows += 1))
    try {
      writeFileSync(this.path(place, `/var/lib/ledger/open/${row}`), content, { flag: 'wx' })
    } catch {
      return
    }
    this.confirmed.add(row)
  }

  /** Writes rows all the time. */
  startClient(): void {
    this.#client = setInterval(() => this.write(), 40)
  }

  stopClient(): void {
    clearInterval(this.#client)
  }

  /** Rows of the state on a target, whether the service is active there or not. */
  rows(target: LedgerPlace): readonly string[] {
    return ['open', 'closed'].flatMap((name) => namesAt(() => this.path(target, `/var/lib/ledger/${name}`)))
  }

  /** Rows that a client would find. */
  rowsServed(): readonly string[] {
    const place = this.servedAt()
    return place === undefined ? [] : namesAt(() => this.path(place, '/var/lib/ledger/open'))
  }

  /** Marks of state on a target: `activated`, `garbage`. */
  marks(target: LedgerPlace): readonly string[] {
    return ['activated', 'garbage'].filter(
      (mark) =>
        namesAt(() => this.path(target, `/var/lib/davit/targets/${target}/dysnomia/${mark}/wrapper`)).length > 0,
    )
  }

  hook(target: TargetName, what: string, how: 'fail' | 'wait'): void {
    writeFileSync(this.path(target, `${HOOKS}.${what}`), how)
  }

  /** Whether something has met a hook. */
  hasMet(target: TargetName, what: string): boolean {
    return textAt(() => this.path(target, `${HOOKS}.${what}.begun`)) !== undefined
  }

  unhook(target: TargetName, what: string): void {
    for (const suffix of ['', '.begun']) rmSync(this.path(target, `${HOOKS}.${what}${suffix}`), { force: true })
  }
}

function textAt(path: () => string): string | undefined {
  try {
    return readFileSync(path(), 'utf8')
  } catch {
    return undefined
  }
}

function namesAt(path: () => string): readonly string[] {
  try {
    return readdirSync(path()).toSorted()
  } catch {
    return []
  }
}
