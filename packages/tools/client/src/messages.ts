import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** A line that a program of the machine has printed while it carried out the operation. */
  'machine-says': note({ line: 'text' }, ({ line }) => line),
  /** The machine tells why an operation has failed. */
  'machine-complains': warning({ line: 'text' }, ({ line }) => line),
})
