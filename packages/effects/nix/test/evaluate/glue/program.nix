# A program like those of davit: it evaluates one attribute of the user's file.
{ input, parameters ? { } }:
let
  inherit (builtins.fromJSON (builtins.readFile input)) file attribute;
  value = (import file parameters).${attribute};
in
builtins.addErrorContext "@davit attribute '${attribute}'" (builtins.deepSeq value value)
