import { defineDistribution } from 'davit'
import type infrastructure from './infrastructure.ts'

export default defineDistribution<typeof infrastructure>({ counter: ['test1'] })
