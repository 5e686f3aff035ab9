import type { Measurement } from './measure.ts'
import { median } from './measure.ts'

export interface Row {
  readonly what: string
  readonly davit: string
  readonly baseline?: string
  readonly ratio?: number
  readonly aims?: readonly Aim[]
}

/** A line below a row, which tells where the time went. */
export interface Note {
  readonly note: string
}

export type Line = Row | Note

export interface Aim {
  readonly text: string
  readonly met: boolean
}

const WIDTHS = [60, 10, 10, 7, 20] as const

export function tableHead(): string {
  return [line(['what', 'davit', 'baseline', 'ratio', 'aim'], 'met'), '-'.repeat(115)].join('\n')
}

export function tableLine(shown: Line): string {
  return 'note' in shown ? `    ${shown.note}` : rowText(shown)
}

function rowText({ what, davit, baseline = '-', ratio, aims = [] }: Row): string {
  const met = aims.length === 0 ? '' : aims.every((aim) => aim.met) ? 'yes' : 'NO'
  const aim = aims.map(({ text }) => text).join('; ')
  return line([what, davit, baseline, ratio === undefined ? '-' : ratio.toFixed(2), aim || '-'], met)
}

/** Returns a row with the median times. */
export function timeRow(
  what: string,
  davit: readonly Measurement[],
  baseline: readonly Measurement[] = [],
): Row & { readonly seconds: number } {
  const seconds = secondsOf(davit)
  const bare = secondsOf(baseline)
  return {
    what,
    seconds,
    davit: timeText(seconds),
    ...(baseline.length === 0 ? {} : { baseline: timeText(bare), ratio: seconds / bare }),
  }
}

/** Returns a row with the median processor times, which depend less on the load of the machine. */
export function workRow(davit: readonly Measurement[], baseline: readonly Measurement[] = []): Row {
  const asTime = (measurements: readonly Measurement[]) =>
    measurements.map((measurement) => ({ ...measurement, seconds: measurement.work }))
  return timeRow('  processor time', asTime(davit), asTime(baseline))
}

/** Returns a row with the peaks of memory. */
export function memoryRow(
  what: string,
  bytes: { readonly davit: readonly number[]; readonly baseline?: readonly number[] },
  limit?: number,
): Row {
  const worst = Math.max(...bytes.davit)
  const bare = bytes.baseline === undefined ? undefined : Math.max(...bytes.baseline)
  return {
    what,
    davit: megabytesText(worst),
    ...(bare === undefined ? {} : { baseline: megabytesText(bare), ratio: worst / bare }),
    ...(limit === undefined ? {} : { aims: [{ text: `≤ ${megabytesText(limit)}`, met: worst <= limit }] }),
  }
}

export function withAims(row: Row & { readonly seconds: number }, limits: Limits): Row {
  const { seconds, ratio, faster } = limits
  return {
    ...row,
    aims: [
      ...(ratio === undefined ? [] : [{ text: `≤ ${ratio.toFixed(2)} ×`, met: (row.ratio ?? Infinity) <= ratio }]),
      ...(faster === undefined ? [] : [{ text: `≥ ${faster} × faster`, met: (row.ratio ?? Infinity) <= 1 / faster }]),
      ...(seconds === undefined ? [] : [{ text: `≤ ${seconds} s`, met: row.seconds <= seconds }]),
    ],
  }
}

export interface Limits {
  readonly seconds?: number
  /** Ratio of davit's time to that of the baseline. */
  readonly ratio?: number
  /** Ratio of the baseline's time to that of davit. */
  readonly faster?: number
}

function secondsOf(measurements: readonly Measurement[]): number {
  return median(measurements.map(({ seconds }) => seconds))
}

function timeText(seconds: number): string {
  return seconds < 0.1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
}

function megabytesText(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function line(columns: readonly string[], last: string): string {
  const padded = columns.map((text, index) =>
    index === 0 || index === 4 ? text.padEnd(WIDTHS[index] ?? 0) : text.padStart(WIDTHS[index] ?? 0),
  )
  return `${padded.join('  ')}  ${last}`.trimEnd()
}
