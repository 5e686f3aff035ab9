import { renderTime } from '@davit/diagnostics'

import { type Check, fine, found } from '../check.ts'

/** What the clock of a machine said, and between which times of this machine. */
export interface ToldTime {
  readonly clock: Date
  readonly asked: Date
  readonly answered: Date
}

/** Compares the clock of a machine with that of the coordinator. */
export function clockChecks(told: ToldTime): readonly Check[] {
  const seconds = secondsOff(told)
  if (Math.abs(seconds) < TOLERATED)
    return [fine('clock', `the clock says ${renderTime(told.clock)}, as this one does`)]
  const finding = {
    text: `the clock is ${durationText(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} that of the coordinator`,
    means: 'logs of several machines cannot be compared, and what is kept for a day is kept for another time',
    remedy: 'timedatectl set-ntp true, on whichever machine is wrong',
  }
  return [found('clock', 'warning', finding)]
}

/** A machine tells whole seconds, and takes some of them to answer. */
function secondsOff({ clock, asked, answered }: ToldTime): number {
  const [time, first, last] = [clock, asked, answered].map((one) => Math.floor(one.getTime() / 1000)) as [
    number,
    number,
    number,
  ]
  if (time > last) return time - last
  return Math.min(0, time - first)
}

const TOLERATED = 5

function durationText(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= 2 * one) ?? [1, 'second']
  const count = Math.floor(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]
