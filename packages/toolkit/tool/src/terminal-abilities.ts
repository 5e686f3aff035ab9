import type { Environment } from './tool-context.ts'

/** Whether the terminal understands the sequences that move its cursor. */
export function movesCursor({ TERM }: Environment): boolean {
  return TERM !== undefined && !['', 'dumb'].includes(TERM)
}

/** Whether the terminal shows colours, and its user wants them. */
export function showsColours(environment: Environment): boolean {
  return movesCursor(environment) && !environment.NO_COLOR
}
