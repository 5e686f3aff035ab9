import { defineInfrastructure } from 'davit'

export default defineInfrastructure({
  test1: { properties: { hostname: 'test1.example.org' }, containers: { process: {} } },
  test2: { properties: { hostname: 'test2.example.org' }, containers: { process: {} } },
})
