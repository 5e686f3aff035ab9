import { defineDistribution } from 'davit'
import type infrastructure from './infrastructure.ts'

export default defineDistribution<typeof infrastructure>({
  HelloMySQLDB: ['test2'],
  HelloDBService: ['test1'],
})
