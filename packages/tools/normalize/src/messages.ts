import { messages, warning } from '@davit/diagnostics'

export const say = messages({
  'type-without-module': warning({ type: 'text', services: 'texts', hint: 'hint' }, ({ type, services }) => {
    const [first, ...others] = services
    const more = others.length === 0 ? '' : `, used by '${first}' and ${others.length} more`
    return `there is no module for type '${type}'${more}`
  }),
})
