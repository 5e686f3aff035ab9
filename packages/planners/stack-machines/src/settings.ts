import { describe } from '@davit/languages'
import { type Cluster, finding, placeOf, type StackFinding } from '@davit/stack'

export interface Settings {
  /** Directory below which volumes are, on every target. */
  readonly volumeDirectory: string
  /** Property of targets by which others reach them. */
  readonly addressProperty: string | undefined
  /** First and last of the ports that functions have who do not choose one. */
  readonly ports: readonly [first: number, last: number]
}

const VOLUMES = '/var/lib/davit/volumes'
const PORTS = [30_000, 31_999] as const

/** Reads the settings of a cluster that machines know; others are for templates. */
export function settingsOf(cluster: Cluster | undefined, findings: StackFinding[]): Settings {
  const textOf = (name: string, isFit: (text: string) => boolean, wanted: string) => {
    const value = cluster?.settings.get(name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' && isFit(value)) return value
    const problem = `the setting '${name}' must be ${wanted}, but is ${describe(value)}`
    findings.push(finding('MU152', [problem], { place: placeIn(cluster, name) }))
    return undefined
  }
  const volumes = textOf('volumeDirectory', (text) => DIRECTORY.test(text), 'the absolute path of a directory below /')
  return {
    volumeDirectory: volumes?.replace(/(?<!\/)\/+$/, '') ?? VOLUMES,
    addressProperty: textOf('addressProperty', (text) => text !== '', 'the name of a property'),
    ports: rangeIn(textOf('ports', (text) => rangeIn(text) !== undefined, 'a range of ports, as 30000-31999')) ?? PORTS,
  }
}

function placeIn(cluster: Cluster | undefined, setting: string) {
  const spot = cluster?.spotsIn.settings.get(setting)
  return spot && placeOf(spot)
}

function rangeIn(text = ''): readonly [number, number] | undefined {
  const [, first, last] = /^(\d{1,5}) *[-–] *(\d{1,5})$/.exec(text) ?? []
  const [lowest, highest] = [Number(first), Number(last)]
  return lowest >= 1 && lowest <= highest && highest <= 65_535 ? [lowest, highest] : undefined
}

const DIRECTORY = /^\/(?!\/*$)\P{Cc}+$/u
