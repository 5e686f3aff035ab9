# Starts what tells what this machine is.

# client_capture: in a process of its own, which ends with all that it has started when the client has gone.
client_capture() {
  davit_runtime=$detached
  export davit_runtime
  while_wanted sh -c 'eval "$davit_runtime"; unset davit_runtime; print_machine'
}
