import { messages, note, warning } from '@davit/diagnostics'

export const say = messages({
  /** A line that a program of the machine has printed while it carried out the operation. */
  'machine-says': note({ line: 'text' }, ({ line }) => line),
  /** The machine complains about something. The last complaint of an operation that fails is its error instead. */
  'machine-complains': warning({ line: 'text' }, ({ line }) => line),
})
