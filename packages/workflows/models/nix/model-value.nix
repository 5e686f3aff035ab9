# A file or expression as data: derivations are their output paths.
{ input, extraParams ? { } }:
let
  request = builtins.fromJSON (builtins.readFile input);
  models = import ./models.nix { input = request; inherit extraParams; };
  inherit (import ./plain.nix { derivation = value: [ "${value}" ]; }) plain positionsWithin;

  value = if request ? file then models.call request.what request.file { } else extraParams;
  positions = positionsWithin value;
in
{
  value = plain value;
  positions = if positions == [ ] then null else builtins.head positions;
}
