import { messages, warning, quoted } from '@davit/diagnostics'

export const say = messages({
  /** No model reads this extra parameter. Check its spelling. */
  'parameter-unread': warning(
    { parameter: 'text', hint: 'hint' },
    ({ parameter }) => `no model uses parameter ${quoted(parameter)} of --extra-params`,
  ),
  /** Text and something else can be meant by this value. Write it in quotes if text is meant. */
  'value-ambiguous': warning(
    { written: 'text', arrives: 'text', hint: 'hint' },
    ({ written, arrives }) =>
      `${written} arrives as ${arrives === '' ? 'the empty text' : `the text ${quoted(arrives)}`}`,
  ),
  /** davit does not read this attribute of a model, but its name resembles one that davit reads. Correct the name. */
  'attribute-unknown': warning(
    { attribute: 'text', of: 'text', hint: 'hint' },
    ({ attribute, of }) => `attribute ${quoted(attribute)} has no meaning for ${of}`,
  ),
})
