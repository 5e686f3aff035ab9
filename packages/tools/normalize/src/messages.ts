import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  /** No lifecycle module is known for a type of service. Correct the type, or add the module with `--modules`. */
  'type-without-module': warning({ type: 'text', services: 'texts', hint: 'hint' }, ({ type, services }) => {
    const [first, ...others] = services
    const more = others.length === 0 ? '' : `, used by '${first}' and ${others.length} more`
    return `there is no module for type '${type}'${more}`
  }),
})
