import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleExecutables } from '../bundle-programs.ts'
import { type Measurement, measure, textOf } from './measure.ts'
import { type Line, timeRow, withAims } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface ExpandTerms {
  readonly name: string
  readonly runs: number
  readonly actions: number
  /** Length of the template in bytes. */
  readonly length: number
  /** Aim as a multiple of what Go's engine takes. */
  readonly limit: number
}

/** Measures parsing and expanding a template in a new process, without its start, beside the engine of Go. */
export async function benchExpand(place: Workplace, terms: ExpandTerms): Promise<readonly Line[]> {
  const { name, runs, actions, length, limit } = terms
  const directory = roomFor(place, name)
  const options = {
    directory,
    environment: { ...place.environment, GOCACHE: join(directory, 'go'), GO111MODULE: 'off' },
  }
  writeFileSync(join(directory, 'template'), templateOf(actions, length))
  const entry = join(import.meta.dirname, 'expand-program.ts')
  await bundleExecutables([{ name: 'expand', entry }], directory)
  await measure(['go', 'build', '-o', 'go-expand', join(import.meta.dirname, 'expand-program.go')], options)
  const [ours, theirs]: [Measurement[], Measurement[]] = [[], []]
  const timeOf = async (command: readonly string[]): Promise<Measurement> => {
    const seconds = Number(await textOf(command, options))
    return { seconds, work: seconds, memory: { tree: 0, biggest: 0 } }
  }
  await inTurn(place, runs, {
    davit: async () => void ours.push(await timeOf([process.execPath, 'expand.cjs', 'template'])),
    baseline: async () => void theirs.push(await timeOf([join(directory, 'go-expand'), 'template'])),
  })
  const what = `expand ${(length / 1e6).toFixed(1)} MB with ${actions.toLocaleString('en')} actions`
  return [withAims(timeRow(what, ours, theirs), { ratio: limit })]
}

/** A template of lines with the actions that stack files have most. */
function templateOf(actions: number, length: number): string {
  const kinds = [
    '{{.args.tag.name}}',
    '{{ if .args.isOn }}on{{ end }}',
    '{{ printf "%s-%d" .args.tag.name 3 }}',
    '{{- range .args.zones }}{{ . }} {{ end }}',
    '{{ .args.tag.name | printf "%q" }}',
  ]
  const lines: string[] = []
  for (let written = 0; written < actions;) {
    const action = kinds[lines.length % kinds.length] ?? ''
    written += action.split('{{').length - 1
    lines.push(`  key${lines.length}: ${action}`)
  }
  const filling = Math.max(0, Math.floor(length / lines.length) - 40)
  return lines.map((line) => `${line} # ${'x'.repeat(filling)}\n`).join('')
}
