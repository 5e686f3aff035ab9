import { DavitError } from '@davit/diagnostics'
import { encodeDocument, type Manifest, ProfileManifest, type TargetName } from '@davit/documents'
import { noteTakenOver } from '@davit/target'
import { scratchDirectory } from '@davit/testing/scratch'
import { describe, expect, test } from 'vitest'

import { observeDeployment } from '../src/observation.ts'
import { manifest, PROFILE, type Recorded, recordsOf, reports, tableMachine, target } from './scene.ts'

const INSTALLED = manifest({ placed: { web: ['t1'], api: ['t1'] } })
const LIMITS =
  "'/bin/client' does not tell whether services run, when the machine was restarted, nor later what others deploy there: records are kept on this machine alone"

interface Behind {
  /** What the client executable prints. */
  readonly printed: readonly string[]
  readonly records?: readonly Recorded[]
  readonly next?: Manifest
}

/** Observes a target behind a client executable. */
async function observe({ printed, records = [], next = INSTALLED }: Behind) {
  const calls: string[] = []
  const call = async (operation: string, words: readonly string[] = []) => {
    calls.push([operation, ...words].join(' '))
    return printed
  }
  const client = { executable: '/bin/client', call } as never
  const machine = tableMachine({ records, client, stateDirectory: scratchDirectory() })
  const { signal } = new AbortController()
  const terms = { profile: PROFILE, previous: undefined, running: 'tell', report: reports().report, signal } as const
  const look = () => observeDeployment([target('t1', machine)], next, terms)
  return { deployed: await look(), look, machine, calls }
}

const text = (from: Manifest) => {
  const { services, serviceMappings, snapshotMappings } = from
  return encodeDocument(
    ProfileManifest.on('t1' as TargetName),
    { services, serviceMappings, snapshotMappings },
    'xml',
  ).split('\n')
}

describe('a target behind a client executable', () => {
  test('has what the executable says to be installed, as active, with the settings of now', async () => {
    const next = manifest({ placed: { web: ['t1'] }, properties: { port: 2 } })
    const { deployed, calls } = await observe({ printed: text(INSTALLED), next })
    expect(calls).toEqual(['query-installed --profile default'])
    expect(deployed.observed).toMatchObject([
      { service: { name: 'web' }, state: 'active', running: false, isInstalled: true },
      { service: { name: 'api' }, state: 'active', running: false, isInstalled: true },
    ])
    expect([...(deployed.observed[0]?.definition?.properties ?? [])]).toEqual([['port', '2']])
    expect([deployed.asked.map(({ name }) => name), [...deployed.blank]]).toEqual([['t1'], []])
    expect(deployed.warnings).toMatchObject([
      { message: LIMITS },
      {
        code: 'taken-over',
        message: 'web, api were deployed from elsewhere, and will be taken over without being started',
      },
    ])
  })

  test('is asked besides the records that are here, which count more', async () => {
    const here = manifest({ placed: { web: ['t1'] } })
    const { deployed } = await observe({
      printed: text(INSTALLED),
      records: recordsOf(here, 't1', { boot: 'of-yore' }),
    })
    expect(deployed.observed.map(({ service, isInstalled, doubt }) => [service.name, isInstalled, doubt])).toEqual([
      ['web', undefined, undefined],
      ['api', true, undefined],
    ])
    expect(deployed.warnings.at(-1)?.message).toBe(
      'api was deployed from elsewhere, and will be taken over without being started',
    )
  })

  test('is blank if nothing is installed, and only its limits are named', async () => {
    const { deployed } = await observe({ printed: [] })
    expect([deployed.observed, [...deployed.blank]]).toEqual([[], ['t1']])
    expect(deployed.warnings).toMatchObject([{ code: 'client-limits', message: LIMITS }])
  })

  test('is not asked once everything was taken over', async () => {
    const { look, machine, calls } = await observe({ printed: text(INSTALLED) })
    await noteTakenOver(machine, PROFILE)
    const deployed = await look()
    expect([deployed.observed, deployed.asked, deployed.warnings, calls.length]).toEqual([[], [], [], 1])
  })

  test('is refused if what the executable prints is not a profile manifest', async () => {
    const error = await observe({ printed: ['<rubbish>'] }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DavitError)
    expect((error as DavitError).message).toContain('/bin/client')
  })
})
