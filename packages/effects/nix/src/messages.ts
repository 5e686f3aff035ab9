import { type Message, messages, note, warning } from '@davit/diagnostics'

import type { BuildEvent } from './build-events.ts'

type SaidByNix = Extract<BuildEvent, { readonly kind: 'said' }>

/** What Nix itself has said: with the target where it was not on the coordinator. */
export const say = messages({
  'nix-warning': warning({ target: 'prefix?', text: 'text' }, ({ text }) => text),
  'nix-trace': note({ text: 'text' }, ({ text }) => text),
  'nix-waiting': note({ target: 'prefix?', text: 'text' }, ({ text }) => text),
})

/** What Nix has said while it built, as a message; of a target, where it did so there. */
export function saidByNix({ code, text }: SaidByNix, target?: string): Message {
  return say(code, { text, target })
}
