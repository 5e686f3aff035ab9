# A file as data, with the positions of its members, and all its members that are not data. Derivations are their output paths.
{ input }:
let
  inherit (builtins) attrNames concatMap elemAt functionArgs genList isAttrs isFunction isList isPath length;

  request = builtins.fromJSON (builtins.readFile input);
  inherit (import ./plain.nix { derivation = value: [ "${value}" ]; }) plain positionIn positionsWithin;

  value = import request.file;
  positions = positionsWithin value;

  # The members of a value that are not data; `at` is the position of the value.
  strangeIn = path: at: value:
    if isFunction value || isPath value || value == null then [ { inherit path at; what = builtins.typeOf value; } ]
    else if isList value then
      concatMap (index: strangeIn (path ++ [ index ]) at (elemAt value index)) (genList (index: index) (length value))
    else if isAttrs value && value.type or null != "derivation" then
      concatMap (name: strangeIn (path ++ [ name ]) (positionIn value name) value.${name}) (attrNames value)
    else [ ];

  # A function is where its first argument with a name is.
  start =
    let arguments = if isFunction value then functionArgs value else { }; names = attrNames arguments; in
    if names == [ ] then null else positionIn arguments (builtins.head names);
in
{
  value = plain value;
  positions = if positions == [ ] then null else builtins.head positions;
  strange = strangeIn [ ] start value;
}
