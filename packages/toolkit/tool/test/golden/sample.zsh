#compdef davit-sample

_arguments -s -S \
  '-o+[what it was before]:FILE:_files' \
  '--old-text=[what it was before]:FILE:_files' \
  '--no-rollback[undo what fails (default\: yes)]' \
  '--rollback[undo what fails (default\: yes)]' \
  '-n[print and stop]' \
  '--dry-run[print and stop]' \
  '--tag=[a word to put before (may be repeated)]:TAG:' \
  '--color=[of the text]:red|green:(red green)' \
  '-p+[name of the deployment (default\: default)]:NAME:' \
  '--profile=[name of the deployment (default\: default)]:NAME:' \
  '--coordinator-profile-path=[directory for what this machine remembers of deployments, instead of '\\''coordinator'\\'' in the state directory\: generations, the journal, locks and runs that were cut off; packages and snapshots stay where they are]:DIRECTORY:_files -/' \
  '-m+[how many targets to send to at a time (default\: 4)]:N:' \
  '--max-concurrent-transfers=[how many targets to send to at a time (default\: 4)]:N:' \
  '--output=[write the result to a file, atomically, instead of standard output]:FILE:_files' \
  '-q[print only warnings and errors]' \
  '--quiet[print only warnings and errors]' \
  '-v[print every step as it begins, and details]' \
  '--verbose[print every step as it begins, and details]' \
  '--log-format=[format of progress and errors on standard error (default\: text)]:text|json:(text json)' \
  '--debug[print stack traces]' \
  '-h[print this help and stop]' \
  '--help[print this help and stop]' \
  '--version[print the version and stop]' \
  '*:file:_files'
