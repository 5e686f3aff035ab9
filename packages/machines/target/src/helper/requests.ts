import type { Writable } from 'node:stream'

import type { HelperText, OperationName } from '@davit/target-runtime'

/** Requests to a helper, which get there in the order in which they are sent. */
export interface Requests {
  /** Returns the size of what is sent. */
  send(id: string, words: readonly [OperationName, ...string[]]): number
  /** Is called for each line that answers a request. */
  answered(id: string): void
  /** Ends the input of the helper after the last request. */
  end(): void
}

interface Way {
  readonly define: HelperText['define']
  /** Is called when a request has been written. */
  readonly written: () => void
}

/**
 * Sends the first request for an operation together with what the helper has to define for it. A utility reads that, which may read ahead:
 * so whatever follows waits for the answer.
 */
export function requestsTo(stdin: Writable, { define, written }: Way): Requests {
  let defining: string | undefined
  const waiting: (() => void)[] = []
  const inTurn = (send: () => void) => void (defining === undefined ? send() : waiting.push(send))
  return {
    send(id, [operation, ...fields]) {
      const definitions = define(operation)
      const request = `${[id, operation, ...fields].join(' ')}\n`
      const text = definitions === '' ? request : withDefinitions(request, `${definitions}# end\n`)
      inTurn(() => {
        if (definitions !== '') defining = id
        stdin.write(text, written)
      })
      return text.length
    },
    answered(id) {
      if (id !== defining) return
      defining = undefined
      for (const send of waiting.splice(0)) inTurn(send)
    },
    end() {
      if (waiting.length === 0) stdin.end()
      else waiting.push(() => stdin.end())
    },
  }
}

function withDefinitions(request: string, definitions: string): string {
  return `define ${Buffer.byteLength(definitions)} ${request}${definitions}`
}
