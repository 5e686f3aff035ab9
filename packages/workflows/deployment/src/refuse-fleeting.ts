import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import type { Mapping } from '@davit/documents'
import type { Deployed } from '@davit/observation'
import { type Fleeting, hintForFleeting, wordsForFleeting } from '@davit/target'
import { startsService } from '@davit/target-runtime'
import { activitiesOf, type Transition } from '@davit/transition'

import { say } from './messages.ts'

/** Types of services that are processes which their modules start, and nothing else. */
const PROCESSES: ReadonlySet<string> = new Set(['process', 'sysvinit-script'])

/** Types whose modules leave the work to a server or a daemon, or only place files. */
const OF_SERVERS: ReadonlySet<string> = new Set([
  'apache-webapplication',
  'docker-container',
  'echo',
  'fileset',
  'influx-database',
  'mysql-database',
  'nginx-webapplication',
  'postgresql-database',
  'subversion-repository',
  'supervisord-program',
  'systemd-unit',
  'tomcat-webapplication',
])

/**
 * Refuses to start processes where all that davit starts ends with its session, before any activity. Returns warnings about services of other
 * types, as nobody knows what their modules start.
 */
export function refuseFleeting(transition: Transition, { places }: Pick<Deployed, 'places'>): readonly Message[] {
  const found = activitiesOf(transition).flatMap(({ kind, mapping, service }) => {
    const fleeting = places.get(mapping.target)?.machine.facts.fleeting
    if (!startsService(kind) || fleeting === undefined || OF_SERVERS.has(service.type)) return []
    return [{ mapping, service: service.name, type: service.type, fleeting }]
  })
  const doomed = found.filter(({ type }) => PROCESSES.has(type))
  if (doomed.length > 0) throw refusal(doomed)
  return found.map(({ service, mapping: { target }, fleeting }) =>
    say('may-end-at-logout', { service, target, reason: wordsForFleeting(fleeting) }),
  )
}

interface Doomed {
  readonly mapping: Mapping
  readonly service: string
  readonly fleeting: Fleeting
}

function refusal(doomed: readonly Doomed[]): DavitError {
  return new DavitError('ends-at-logout', 'some services would end as soon as davit has gone', {
    exitStatus: ExitStatus.failed,
    diagnostics: doomed.map(({ service, mapping: { target }, fleeting }) => ({
      severity: 'error',
      message: `'${service}' on '${target}' cannot be started: ${wordsForFleeting(fleeting)}`,
      hint: hintForFleeting(fleeting),
    })),
    hint: 'nothing was done',
  })
}
