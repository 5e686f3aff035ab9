import { messages, warning, quoted } from '@davit/diagnostics'

export const say = messages({
  /** No model reads this extra parameter. Check its spelling. */
  'parameter-unread': warning(
    { parameter: 'text', hint: 'hint' },
    ({ parameter }) => `no model uses parameter ${quoted(parameter)} of --extra-params`,
  ),
  /** davit does not read this attribute of a model, but its name resembles one that davit reads. Correct the name. */
  'attribute-unknown': warning(
    { attribute: 'text', of: 'text', hint: 'hint' },
    ({ attribute, of }) => `attribute ${quoted(attribute)} has no meaning for ${of}`,
  ),
})
