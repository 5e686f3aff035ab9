# Finds the names of targets to which models refer by value.
{ infrastructure, targetProperty, problems }:
let
  inherit (builtins) attrNames concatMap filter groupBy head isAttrs isList isString length;

  nameOf = target:
    if isString target then target
    else if !isAttrs target then null
    else
      let
        candidates = byAddress.${addressKey target} or [ ];
        same = filter (name: isSame infrastructure.${name} target) candidates;
      in
      if length candidates == 1 && addressOf target != null then head candidates
      else if length same > 1 then problems [ (ambiguous same) ]
      else if same != [ ] then head same
      else addressOf target;

  # A target of `invDistribution` has its services in addition.
  isSame = target: value: target == value || (value ? services && target == removeAttrs value [ "services" ]);

  ambiguous = names: {
    message = "the targets ${builtins.concatStringsSep " and " (map (name: "'${name}'") names)} have the same attributes, so a model in the Nix language cannot tell them apart";
    hint = "give each a distinct property, or refer to it by its name, as text";
  };

  byAddress = groupBy (name: addressKey infrastructure.${name}) (attrNames infrastructure);

  # Attribute names must not have a string context.
  addressKey = target: builtins.unsafeDiscardStringContext (builtins.toJSON (addressOf target));

  addressOf = target:
    let address = target.properties.${target.targetProperty or targetProperty} or null; in
    if isString address then address else null;

  isPlacement = entry: isAttrs entry && (entry ? target || entry ? container) && !(entry ? properties);

  # The list of targets in a value of a distribution.
  entriesOf = value:
    let list = if isAttrs value then value.targets or null else value; in if isList list then list else [ ];

  valueOf = name: infrastructure.${name} or name;
in
{
  inherit nameOf isPlacement;

  # The names in a value of a distribution; its problems are reported elsewhere.
  namesOf = value:
    concatMap
      (entry:
        let name = nameOf (if isPlacement entry then entry.target or null else entry); in
        if name == null then [ ] else [ name ])
      (entriesOf value);

  # Placements given by name, as functions of models get them.
  valuesOf = placements:
    if builtins.any (placement: placement ? container) placements
    then { targets = map (placement: placement // { target = valueOf placement.target; }) placements; }
    else map (placement: valueOf placement.target) placements;
}
