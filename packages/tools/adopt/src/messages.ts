import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** The coordinator has a new generation, with the deployment that was adopted, perhaps by an earlier run that was cut off. */
  'generation-adopted': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} on the coordinator, as the targets have it`,
  ),
  /** The current generation of the coordinator says the same as the targets, so none was added. */
  'generation-known': note(
    { generation: 'generation' },
    ({ generation }) => `generation ${generation} of the coordinator is what the targets have`,
  ),
  /** All deployments of Disnix of this name were adopted before, or were set by davit. */
  'nothing-to-adopt': note(
    { profile: 'text' },
    ({ profile }) => `nothing to adopt: Disnix has deployed nothing as '${profile}' that davit does not know`,
  ),
})
