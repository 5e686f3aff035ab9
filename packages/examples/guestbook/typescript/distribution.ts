import { defineDistribution } from 'davit'

/** Targets are objects of the infrastructure or, as here, their names. */
export default defineDistribution({
  entries: ['back'],
  api: ['back'],
  page: ['front'],
})
