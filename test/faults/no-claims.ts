/** Nobody is told by these what was done; or `CLAIMS` has it in the line before. */
export const SAYS_NOTHING: readonly RegExp[] = [
  /^$/,
  // A shell, of what it has started.
  /^(Killed|Terminated|Hangup)$/,
  /^(\[\S+\] )?(send packages|(de)?activate \S+ in \S+|build \S+|connect)( \u2026|: failed: .*)$/,
  /^build \S+: done/,
  /^ {2}(\| |hint: )/,
  /^ {4}\S/,
  /^rolling back$/,
  /^Skip service '\S+' on target '\S+', of which there is no record any more/,
  /^(de)?activate \S+ in \S+ on \S+ \(.*\)$/,
  /^keep \S+ in \S+ on \S+ as it is \(.*\): --restart-changed restarts it$/,
  /^(warning: )?taking over '\S+', which this coordinator has not deployed, with its services: /,
  // The lines before it say what is not as the manifest says.
  /^nothing to do$/,
  /^nothing runs under this name; on the targets there are services of /,
  /^there are no generations of '\S+': /,
  /^error: \d+ services? on '\S+': /,
  /^\[\S+\] the module that '\S+' was activated with cannot deactivate it: trying that of the manifest$/,
  /^\[\S+\] waiting for what an earlier run has begun: /,
  /^another process builds '\S+': waiting for it$/,
  /^builds are (not isolated|kept from)/,
  /^warning: (interrupted|terminated|hung up): finishing what runs; .* to stop now$/,
  /^warning: stopped: what was begun is left to itself$/,
  /^warning: '\S+' on '\S+'.* could not be unlocked$/,
  /^connected to '\S+' again$/,
  /^warning: (lost the connection to|lost the helper on|cannot reach|the lock of profile) /,
  /^error: (target '\S+': |cannot (begin to |tell what became of the request to )?(de)?activate )/,
  /^caused by: /,
  // What other services have answered is in lines after that.
  /^'\S+' on '\S+': it (was cut off, or never began|took too long, and was ended)(, and nothing more can be written there \(.*\))?$/,
  // Errors that only say what went wrong; those of a transition and a distribution are claims.
  /^davit-[a-z]+: .* \[(interrupted|unreachable|targets-unreachable|connection-lost|session-refused|no-answer|locked|lock-lost|lock-refused|unlock-refused|no-profile|cannot-create|import-failed|channel-closed|no-shell|no-module|cannot-write|not-ours|no-deployment)\]$/,
  // The same, where what a program of the target has said is part of it.
  /^davit-[a-z]+: (cannot (renew|write|create) [^[]*)$/,
  /^\S+: .*(No space left on device|I\/O error)( \[cannot-create\])?$/,
  /^hint: (the same command (goes on from (there|here)|tries again|sends only what is missing)|mend what failed; then the same command tries again(; |$)|the others have theirs: )/,
  /^hint: what was started there goes on; /,
  /^hint: what was not set yet, the same command sets$/,
  /^hint: (a service decides that by itself|somebody else may have deployed since|check |make (space|room) |free |try |look )/,
]
