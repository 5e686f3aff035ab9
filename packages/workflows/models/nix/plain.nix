# Values as data that JSON represents exactly, with their positions. Other values (functions, paths, null, and
# derivations unless `derivation` converts them) are left out, as in the original toolset.
{ derivation ? (_: [ ]) }:
let
  inherit (builtins) attrNames concatMap elemAt floor intersectAttrs isAttrs isFloat isFunction isInt isList isPath listToAttrs length mapAttrs;

  # A list of the value's data; empty if it is not data.
  dataIn = value:
    if isAttrs value then
      (if value.type or null == "derivation" then derivation value else [ (tableOf value) ])
    else if isList value then [ (concatMap dataIn value) ]
    else if isFloat value then [ { "$float" = floatOf value; } ]
    else if isInt value then [ (integerOf value) ]
    else if value == null || isPath value || isFunction value then [ ]
    else [ value ];

  tableOf = table:
    encoded (listToAttrs
      (concatMap (name: map (value: { inherit name value; }) (dataIn table.${name})) (attrNames table)));

  # A table with a name that is special in Nix's JSON, or in this encoding, becomes a list of names and values.
  encoded = table:
    if intersectAttrs special table == { } then table
    else { "$table" = map (name: [ name table.${name} ]) (attrNames table); };
  special = { outPath = 1; __toString = 1; "$float" = 1; "$integer" = 1; "$table" = 1; "$unread" = 1; };

  # The largest whole number up to which JavaScript is exact.
  largest = 9007199254740991;
  integerOf = value: if value > largest || value < - largest then { "$integer" = toString value; } else value;

  # A float as the integers m and e of m * 2^e: Nix prints only six digits.
  floatOf = value:
    if value != value then "nan"
    else if value != 0.0 && value == value * 2.0 then (if value > 0.0 then "infinity" else "-infinity")
    else scaled value 0;
  scaled = value: exponent:
    let magnitude = if value < 0.0 then - value else value; in
    if magnitude >= 18014398509481984.0 then scaled (value / 18014398509481984.0) (exponent + 54)
    else if magnitude >= 9007199254740992.0 then scaled (value / 2.0) (exponent + 1)
    else if floor value == value then [ (floor value) exponent ]
    else if magnitude < 1.0e-9 then scaled (value * 1073741824.0) (exponent - 30)
    else scaled (value * 2.0) (exponent - 1);

  # "LINE:COLUMN:FILE", or null for computed attributes.
  positionIn = table: name:
    let position = builtins.unsafeGetAttrPos name table; in
    if position == null then null else "${toString position.line}:${toString position.column}:${position.file}";

  # The position of each member and, from `follow`, the positions of its own members.
  positionsBy = follow: table:
    encoded (mapAttrs (name: value: [ (positionIn table name) ] ++ follow name value) table);

  # All positions within a value that is evaluated as a whole anyway.
  positionsWithin = value:
    if isAttrs value then (if value.type or null == "derivation" then [ ] else [ (positionsBy (_: positionsWithin) value) ])
    else if isList value then [ (builtins.genList (index: [ null ] ++ positionsWithin (elemAt value index)) (length value)) ]
    else [ ];
in
{
  inherit encoded positionIn positionsBy positionsWithin;

  # The data of a value, or null.
  plain = value: let data = dataIn value; in if data == [ ] then null else builtins.head data;

  # The data of those of the named members that a table has.
  plainMembers = names: table:
    listToAttrs (concatMap (name: map (value: { inherit name value; }) (if table ? ${name} then dataIn table.${name} else [ ])) names);

  # Placeholder for a value that is not evaluated.
  unread = { "$unread" = true; };
}
