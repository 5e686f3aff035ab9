# bash completion for davit-sample
_davit_sample() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
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
}
complete -o filenames -F _davit_sample davit-sample
