import { defineServices, source } from 'davit'

export default defineServices({
  counter: { type: 'process', deployState: true, pkg: source('./redis') },
})
