import { runTool } from '@davit/tool'

import { tool } from './main.ts'

// Without a listener, these would end the process before the step that runs has undone its work.
runTool(tool, { alsoEndedBy: ['SIGQUIT', 'SIGALRM', 'SIGUSR1', 'SIGUSR2'] })
