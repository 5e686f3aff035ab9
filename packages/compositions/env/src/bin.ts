import { runTool } from '@davit/tool'
import { description } from './description.ts'

// Without a listener, these would end the process before the step that runs has undone its work.
runTool(description, async () => (await import('./env.ts')).tool, {
  alsoEndedBy: ['SIGQUIT', 'SIGALRM', 'SIGUSR1', 'SIGUSR2'],
})
