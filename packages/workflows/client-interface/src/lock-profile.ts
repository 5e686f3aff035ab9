import type { Readable, Writable } from 'node:stream'

import { parseDocument, ProfileManifest, type TargetName } from '@davit/documents'
import { builtInModules } from '@davit/modules'
import { newMarker } from '@davit/target'
import { encodeField } from '@davit/target-runtime'

import { type Client, perform } from './client.ts'
import { modulesFor } from './find-module.ts'

export interface ProfileToLock {
  readonly profile: string
  /** Directories with modules of the user. */
  readonly directories: readonly string[]
}

/** Asks the services of a profile whether they agree, and makes the lock file of Disnix. */
export function lockProfile(client: Client, place: ProfileToLock): Promise<number> {
  return askProfile(client, 'lock', place)
}

export function unlockProfile(client: Client, place: ProfileToLock): Promise<number> {
  return askProfile(client, 'unlock', place)
}

async function askProfile(client: Client, operation: 'lock' | 'unlock', place: ProfileToLock): Promise<number> {
  const marker = newMarker()
  const installed = untilMarker(marker, (content) => client.print(content))
  const modules = await modulesFor(operation, place.directories)
  let problem: unknown
  const send = async (stdin: Writable) => {
    const text = await installed.text
    if (text === undefined) return
    try {
      const services = await servicesIn(text, modules)
      stdin.write([...services, '.\n'].join(''))
    } catch (error) {
      // Thrown when the script has removed the lock file, which it does when its input ends.
      problem = error
      stdin.end()
    }
  }
  const { receive } = installed
  const status = await perform(client, { operation, words: [marker, place.profile], modules, send, receive })
  if (problem !== undefined) throw problem
  return status
}

/** Collects the output up to a line, and passes on the rest; `text` is undefined if there is no such line. */
function untilMarker(marker: string, print: (content: Uint8Array) => Promise<void>) {
  let resolveText: (text: string | undefined) => void = () => {}
  const text = new Promise<string | undefined>((resolve) => {
    resolveText = resolve
  })
  const line = Buffer.from(`\n${marker}\n`)
  return {
    text,
    async receive(stdout: Readable) {
      let before: Buffer | undefined = Buffer.alloc(0)
      for await (const chunk of stdout as AsyncIterable<Buffer>) {
        const content: Buffer = before === undefined ? chunk : Buffer.concat([before, chunk])
        const end = before === undefined ? 0 : content.indexOf(line)
        if (end === -1) {
          before = content
          continue
        }
        if (before !== undefined) resolveText(content.subarray(0, end).toString())
        const rest = before === undefined ? content : content.subarray(end + line.length)
        before = undefined
        if (rest.length > 0) await print(rest)
      }
      resolveText(undefined)
    },
  }
}

/** Lines `TYPE CONTAINER COMPONENT ask|skip` of the services in a profile manifest, in the order of its mappings. */
async function servicesIn(text: string, carried: readonly { readonly name: string }[]): Promise<readonly string[]> {
  if (text.trim() === '') return []
  const silent = new Set(
    [...(await builtInModules()).keys()].filter((name) => carried.every((one) => one.name !== name)),
  )
  const manifest = parseDocument(ProfileManifest.on(HERE), text, { file: 'profilemanifest.xml' })
  return manifest.serviceMappings.flatMap((mapping) => {
    const service = manifest.services.get(mapping.service)
    if (service === undefined || service.type === 'package') return []
    const { containerProvidedByService: provider } = mapping
    const type = provider === undefined ? service.type : (manifest.services.get(provider)?.pkg ?? service.type)
    const words = [type, mapping.container, service.pkg].map(encodeField)
    return [`${[...words, silent.has(type) ? 'skip' : 'ask'].join(' ')}\n`]
  })
}

/** Stands for the machine itself, whose mappings have no target. */
const HERE = 'localhost' as TargetName
