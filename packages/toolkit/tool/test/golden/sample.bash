# bash completion for davit-sample
_davit_sample() {
  local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} previous
  # bash takes a colon as a word, and completes what follows it.
  if [[ $word == : ]]; then at=$((at - 1)) word=${COMP_WORDS[at]}:
  elif [[ at -gt 2 && ${COMP_WORDS[at-1]} == : ]]; then at=$((at - 2)) word=${COMP_WORDS[at]}:$word; fi
  previous=${COMP_WORDS[at-1]}
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[at-2]}; fi
  COMPREPLY=()
  case $previous in
    --old-text|-o) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --tag) : ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'red green' -- "$word") ;;
    --profile|-p) : ;;
    --coordinator-profile-path) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --max-concurrent-transfers|-m) : ;;
    --output) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word") ;;
    *)
      if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '--old-text --no-rollback --rollback --dry-run --tag --color --profile --coordinator-profile-path --max-concurrent-transfers --output --quiet --verbose --log-format --debug --help --version' -- "$word")
      else mapfile -t COMPREPLY < <(compgen -f -- "$word"); fi ;;
  esac
  COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
}
complete -o filenames -F _davit_sample davit-sample
