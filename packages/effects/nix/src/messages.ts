import { type Message, messages, note, warning } from '@davit/diagnostics'

import type { BuildEvent } from './build-events.ts'

type SaidByNix = Extract<BuildEvent, { readonly kind: 'said' }>

/** Messages of Nix itself, with the target unless it ran on the coordinator. */
export const say = messages({
  /** A warning that Nix printed, on the coordinator or on a target. */
  'nix-warning': warning({ target: 'prefix?', text: 'text' }, ({ text }) => text),
  /** Text that a model in the Nix language printed with `trace`. */
  'nix-trace': note({ text: 'text' }, ({ text }) => text),
  /** Nix is waiting for a lock or for a build machine. */
  'nix-waiting': note({ target: 'prefix?', text: 'text' }, ({ text }) => text),
})

/** Message of Nix during a build, with the target if it built there. */
export function saidByNix({ code, text }: SaidByNix, target?: string): Message {
  return say(code, { text, target })
}
