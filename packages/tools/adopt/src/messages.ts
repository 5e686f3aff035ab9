import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** All deployments of Disnix of this name were adopted before, or were set by davit. */
  'nothing-to-adopt': note(
    { profile: 'text' },
    ({ profile }) => `nothing to adopt: Disnix has deployed nothing as '${profile}' that davit does not know`,
  ),
})
