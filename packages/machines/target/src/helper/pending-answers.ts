import { DavitError, ExitStatus } from '@davit/diagnostics'
import { operation, type OperationName } from '@davit/target-runtime'

import { badAnswer } from './answer-lines.ts'
import { refusalOf } from './refused-request.ts'

/** Answers that are due from a helper, in the order of the requests. */
export interface PendingAnswers {
  add(id: string, name: OperationName): Promise<readonly string[]>
  /** Takes a line, which is part of an answer, or its end, or neither. */
  take(line: string): 'part' | 'end' | 'stray'
  rejectAll(error: unknown): void
  /** Factor by which the next answer may take longer than usual; undefined if none is due. */
  slowness(): number | undefined
}

/** Limits that no real answer comes near, even with the records of all services or the names of all packages. */
const MAX_ANSWER_LINES = 200_000
const MAX_ANSWER_CHARACTERS = 64 * 1024 * 1024

export function pendingAnswers(address: string): PendingAnswers {
  const answers = new Map<string, PendingAnswer>()
  return {
    add(id, name) {
      return new Promise((resolve, reject) => {
        answers.set(id, { name, lines: [], characters: 0, resolve, reject })
      })
    },
    take(line) {
      const [id = '', sign, ...words] = line.split(' ')
      const request = answers.get(id)
      if (request === undefined) return 'stray'
      if (sign === '+' && !isExcessive(request, line)) {
        request.lines.push(words.join(' '))
        return 'part'
      }
      answers.delete(id)
      if (sign === '=') request.resolve(request.lines)
      else request.reject(errorFor(address, { sign, words, request }))
      return 'end'
    },
    rejectAll(error) {
      for (const { reject } of answers.values()) reject(error)
      answers.clear()
    },
    slowness() {
      const [next] = answers.values()
      return next === undefined ? undefined : (operation(next.name).slowness ?? 1)
    },
  }
}

interface PendingAnswer {
  readonly name: OperationName
  readonly lines: string[]
  characters: number
  readonly resolve: (lines: readonly string[]) => void
  readonly reject: (error: unknown) => void
}

interface Failure {
  readonly sign: string | undefined
  readonly words: readonly string[]
  readonly request: PendingAnswer
}

function errorFor(address: string, { sign, words, request }: Failure): unknown {
  if (sign === '!') return refusalOf(words, request.lines)
  return sign === '+' ? tooLong(address, request.name) : badAnswer(address)
}

function tooLong(address: string, name: OperationName): DavitError {
  const limits = `${MAX_ANSWER_LINES} lines, or ${MAX_ANSWER_CHARACTERS / 1024 ** 2} MB`
  return new DavitError('bad-answer', `'${address}' sent an answer of more than ${limits}`, {
    exitStatus: ExitStatus.unreachable,
    hint: HINTS[name] ?? 'look at what answers there, and at what there is so much of in its state directory',
  })
}

const HINTS: Partial<Record<OperationName, string>> = {
  snapshots: "if it has that many snapshots, 'davit-clean-snapshots' removes old ones",
}

function isExcessive(request: PendingAnswer, line: string): boolean {
  request.characters += line.length
  return request.lines.length >= MAX_ANSWER_LINES || request.characters > MAX_ANSWER_CHARACTERS
}
