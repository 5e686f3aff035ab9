import { detail, messages } from '@davit/diagnostics'

export const say = messages({
  /** davit-connect could not connect to a target of the manifest in advance. A tool that needs the target reports why. */
  'not-connected': detail({ reason: 'text' }, ({ reason }) => `not connected in advance: ${reason}`),
})
