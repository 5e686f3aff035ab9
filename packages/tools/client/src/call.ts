import { type Call, findModule } from '@davit/client-interface'
import { type ToolContext, usageError } from '@davit/tool'

import { type Arguments, onlyPath, propertiesOf, refuseTwoModules } from './arguments.ts'

/** Checks what a module is to be called for; the function returned also reads the module. */
export function callOf(
  args: Arguments,
  { environment }: Pick<ToolContext<unknown>, 'environment'>,
): () => Promise<Call> {
  const { type, module: file, modules: directories, container = '' } = args
  refuseTwoModules(args)
  if ((type === undefined || type === '') && file === undefined)
    throw usageError('no type is given', 'name a lifecycle module with --type')
  const component = componentOf(args)
  const properties = propertiesOf(args, environment)
  return async () => ({
    module: await findModule(type ?? '', { directories, file }),
    container,
    component,
    properties,
  })
}

/** With --operation, it may be named as for Dysnomia. */
function componentOf(args: Arguments): string {
  const { operation, component, path } = args
  if (operation !== undefined && component !== undefined && path.length === 0) return component
  return onlyPath(args, 'the path of the component')
}
