import { messages, note } from '@davit/diagnostics'

export const say = messages({
  /** `--deployed` finds nothing that could stay where it is, as before a first deployment. All services are placed anew. */
  'nothing-to-stay': note(
    { profile: 'text' },
    ({ profile }) => `nothing is deployed as '${profile}': all services are placed anew`,
  ),
})
