import { type Client, perform } from './client.ts'

/** Operations whose output is their result. */
export type PrintingOperation =
  | 'print_invalid'
  | 'realise'
  | 'set'
  | 'query_installed'
  | 'query_requisites'
  | 'collect_garbage'
  | 'query_snapshots'
  | 'print_missing'
  | 'resolve'
  | 'clean_snapshots'

/** Carries out an operation that prints lines. */
export function print(client: Client, operation: PrintingOperation, words: readonly string[]): Promise<number> {
  return perform(client, { operation, words })
}
