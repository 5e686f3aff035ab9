import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import { encodeDocument, type MadeFrom, Manifest, type ProfileName } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import type { ToolContext } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'

import { tool } from '../src/main.ts'

export interface Told {
  readonly stdout: string
  /** Messages of notes and warnings, and the error that ended the tool. */
  readonly stderr: readonly string[]
}

/** A coordinator on which generations can be added, and davit-generations can be run. */
export function coordinator() {
  const state = scratchDirectory()
  const place = deploymentPlace(state, 'default' as ProfileName)
  return {
    place,
    /** Adds a generation; manifests differ by their store. */
    async add(
      store: string,
      about: { readonly madeFrom?: MadeFrom; readonly time?: Date; readonly sudoUser?: string } = {},
    ) {
      const { madeFrom, time = new Date('2026-11-20T10:00:00Z'), sudoUser } = about
      const manifest = manifestWith(store)
      const origin = { time, user: 'root', host: 'desk', ...(sudoUser === undefined ? {} : { sudoUser }) }
      return addGeneration(place, { manifest, text: encodeDocument(Manifest, manifest, 'json'), origin, madeFrom })
    },
    async run(...argv: readonly string[]): Promise<Told> {
      const told: Told & { stderr: string[] } = { stdout: '', stderr: [] }
      let stdout = ''
      const environment = { DAVIT_STATE_DIR: state }
      try {
        const request = parseArguments(tool, { argv, environment })
        if (request.kind !== 'run') throw new Error('not a run')
        await tool.run({
          args: request.args,
          environment,
          privileged: false,
          print: async (text: string) => void (stdout += text),
          report: (event: ReportEvent) => void ('message' in event && told.stderr.push(event.message)),
          journal() {},
        } as unknown as ToolContext<never>)
      } catch (error) {
        if (!(error instanceof DavitError)) throw error
        told.stderr.push(`${error.message} [${error.code}]`)
      }
      return { ...told, stdout }
    },
  }
}

function manifestWith(store: string): Manifest {
  return {
    store: { kind: 'native', directory: `/store/${store}` },
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
  }
}
