import { messages, warning } from '@davit/diagnostics'

import { quoted } from './reading/quoted.ts'

export const say = messages({
  'parameter-unread': warning(
    { parameter: 'text', hint: 'hint' },
    ({ parameter }) => `no model reads ${quoted(parameter)} of --extra-params`,
  ),
  'attribute-unknown': warning(
    { attribute: 'text', of: 'text', hint: 'hint' },
    ({ attribute, of }) => `attribute ${quoted(attribute)} means nothing to ${of}`,
  ),
})
