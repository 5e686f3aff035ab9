import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** The coordinator has a new generation, with the manifest that was read back. */
  'generation-recovered': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} on the coordinator, as the targets have it`,
  ),
  /** The current generation of the coordinator says the same as the targets, so none was added. */
  'generation-confirmed': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} of the coordinator is what the targets have`,
  ),
})
