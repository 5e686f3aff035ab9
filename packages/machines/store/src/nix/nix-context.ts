import type { Environment } from '@davit/process'
import { sharedServe, type WithServe } from './shared-serve.ts'

/** What all operations of the store share. */
export interface NixContext {
  readonly directory: string
  readonly environment: Environment
  readonly withServe: WithServe
}

export function nixContext(directory: string, environment: Environment): NixContext {
  return { directory, environment, withServe: sharedServe(environment) }
}
