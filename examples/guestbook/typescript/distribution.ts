import { defineDistribution } from 'davit'
import type infrastructure from './infrastructure.ts'

/** Targets are objects of the infrastructure or, as here, their names: with its type, of others nothing compiles. */
export default defineDistribution<typeof infrastructure>({
  entries: ['back'],
  api: ['back'],
  page: ['front'],
})
