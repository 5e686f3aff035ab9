import { defineDistribution } from 'davit'
import type infrastructure from './infrastructure.ts'

/** Targets are objects of the infrastructure or, as here, their names; thanks to the type, unknown names do not compile. */
export default defineDistribution<typeof infrastructure>({
  entries: ['back'],
  api: ['back'],
  page: ['front'],
})
