import type { ContainerName, ServiceKey, TargetName } from '@davit/documents'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import { directoryNames } from './record.ts'

export interface MappingPlace {
  readonly target: TargetName
  readonly container: ContainerName
  readonly service: ServiceKey
}

/** When records got the states that they have. */
export type StateTimes = (place: MappingPlace) => Date | undefined

/** Parses when the records of a profile got their states, by the clock of the machine. Some machines cannot tell. */
export function timesIn(lines: readonly string[], { address }: Pick<Machine, 'address'>): StateTimes {
  const times = new Map<string, Date>()
  for (const line of lines) {
    const [, seconds, place] = TIME.exec(line) ?? []
    if (place === undefined) throw badAnswer(address)
    times.set(place, new Date(Number(seconds) * 1000))
  }
  return ({ target, container, service }) => {
    const [time] = directoryNames(container, service).flatMap((name) => times.get(`${target} ${name}`) ?? [])
    return time
  }
}

const TIME = /^time (\d{1,12}) ([A-Za-z0-9_][\w.+-]* [\w.+~-]+:[\w.+~-]+)$/
