import { fromWord, settingsIn } from '@davit/client-interface'
import type { System } from '@davit/documents'
import { badAnswer } from '@davit/target'

import type { Captured } from './captured.ts'

/** Parses what `client_capture` prints on a target. Throws `bad-answer` if something else answers. */
export function parseCaptured(output: string, address: string): Captured {
  const lines = output.split('\n').filter((line) => line !== '')
  const border = lines.indexOf('settings')
  if (border === -1) throw badAnswer(address)
  const facts = factsIn(lines.slice(0, border), address)
  const settings = lines.slice(border + 1)
  const last = settings.at(-1) ?? ''
  const isCut = last.startsWith('unreadable ')
  const { properties = new Map(), containers } = settingsIn(isCut ? settings.slice(0, -1) : settings, address)
  const unreadable = isCut ? fromWord(last.slice('unreadable '.length), address) : undefined
  return { ...facts, properties, containers, unreadable }
}

type Facts = Omit<Captured, 'properties' | 'containers' | 'unreadable'>

/** Facts come first, and then types, each with its settings. */
function factsIn(lines: readonly string[], address: string): Facts {
  const first = lines.findIndex((line) => line.startsWith('type '))
  const border = first === -1 ? lines.length : first
  const told = new Map(lines.slice(0, border).map((line) => splitOnce(line)))
  const [kernel, machine] = kernelIn(told.get('kernel'), address)
  return {
    system: `${machine}-${kernel.toLowerCase()}` as System,
    name: fromWord(told.get('name') ?? 'x', address),
    numOfCores: numberIn(told.get('cores'), { digits: 5, address }),
    memoryMB: megabytes(numberIn(told.get('memory'), { digits: 12, address })),
    diskMB: megabytes(numberIn(told.get('disk'), { digits: 12, address })),
    types: typesIn(lines.slice(border), address),
  }
}

function kernelIn(text: string | undefined, address: string): readonly [kernel: string, machine: string] {
  const [, kernel, machine] = /^(\w[\w.+-]{0,59}) (\w[\w.+-]{0,59})$/.exec(text ?? '') ?? []
  if (kernel === undefined || machine === undefined) throw badAnswer(address)
  return [kernel, machine]
}

function numberIn(
  text: string | undefined,
  { digits, address }: { readonly digits: number; readonly address: string },
): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text) || text.length > digits) throw badAnswer(address)
  return Number(text)
}

function megabytes(kilobytes: number | undefined): number | undefined {
  return kilobytes === undefined ? undefined : Math.round((kilobytes * 1024) / 1_000_000)
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf(' ')
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

/** A type is told like a container of Dysnomia. */
function typesIn(lines: readonly string[], address: string): Captured['types'] {
  const asContainers = lines.map((line) => {
    const [kind, name] = splitOnce(line)
    return kind === 'type' ? `container x${Buffer.from(name).toString('hex')}` : line
  })
  const { containers } = settingsIn(asContainers, address)
  for (const name of containers.keys()) if (!TYPES.has(name)) throw badAnswer(address)
  return containers
}

/** The types of davit's modules that `capture.sh` looks for. */
const TYPES: ReadonlySet<string> = new Set([
  'process',
  'wrapper',
  'fileset',
  'systemd-unit',
  'sysvinit-script',
  'supervisord-program',
  'docker-container',
  'apache-webapplication',
  'nginx-webapplication',
  'mysql-database',
  'postgresql-database',
  'influx-database',
  'tomcat-webapplication',
  'subversion-repository',
])
