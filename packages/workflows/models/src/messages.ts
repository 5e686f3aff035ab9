import { messages, warning } from '@davit/diagnostics'

import { quoted } from './reading/quoted.ts'

export const say = messages({
  'parameter-unread': warning(
    { parameter: 'text', hint: 'hint' },
    ({ parameter }) => `no model uses parameter ${quoted(parameter)} of --extra-params`,
  ),
  'attribute-unknown': warning(
    { attribute: 'text', of: 'text', hint: 'hint' },
    ({ attribute, of }) => `attribute ${quoted(attribute)} has no meaning for ${of}`,
  ),
})
