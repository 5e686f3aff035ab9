# The models of a deployment: from their files or, for other languages, from the input.
{ input, extraParams }:
let
  inherit (builtins) attrNames concatMap concatStringsSep filter functionArgs groupBy intersectAttrs isAttrs isFunction isString listToAttrs mapAttrs;

  parameters =
    if isAttrs extraParams then builtins.fromJSON input.extraParams // extraParams
    else problems [
      { message = "--extra-params: expected a set or a JSON object, but got a ${builtins.typeOf extraParams}"; }
    ];

  # The value of a model, or the result of its function, called with these arguments and with the user's parameters that it names.
  call = what: file: arguments:
    let
      model = import file;
      formals = formalsOf model;
      given = arguments // intersectAttrs formals parameters;
      missing = filter (name: !formals.${name} && !(given ? ${name})) (attrNames formals);
    in
    if !(isFunction model || model ? __functor) then model
    else if missing == [ ] then model given
    else problems (map (name: missingParameter what name formals) missing);

  # The parameters that a function names, each with whether it has a default.
  formalsOf = function:
    if isFunction function then functionArgs function else if isAttrs function then function.__functionArgs or { } else { };

  # The parameters that the functions of these models name.
  askedBy = roles: concatMap (role: attrNames (formalsOf (import (fileOf role)))) roles;

  missingParameter = what: name: formals: positionOf name formals // {
    message = "${what} needs the parameter '${name}', which it is not given";
    hint =
      if arguments ? ${name} then "only ${arguments.${name}} get it: is this file one of them?"
      else "pass it with --extra-params '{ ${name} = ...; }', or give it a default";
  };

  # Arguments that only the functions of certain models get.
  arguments = {
    distribution = "services models";
    infrastructure = "distribution models";
    invDistribution = "services models";
    pkgs = "services, packages and architecture models";
    system = "services, packages and architecture models";
  };

  positionOf = name: table:
    let position = builtins.unsafeGetAttrPos name table; in if position == null then { } else position;

  problems = list: throw "@davit-problems ${builtins.toJSON list}";

  # Values that depend on a system are evaluated once for each system, and once for none, where only their other parts matter.
  perSystem = valueFor:
    let
      forNone = valueFor null;
      bySystem = listToAttrs (map (name: { inherit name; value = valueFor name; }) systems);
    in
    system: if system == null then forNone else bySystem.${system};

  systems = let named = attrNames (groupBy systemOf (attrNames targetTable)); in if named == [ ] then [ input.system ] else named;
  systemOf = target:
    let system = targetTable.${target}.system or null; in if isString system then system else input.system;

  pkgsFor = perSystem (system:
    if (builtins.tryEval <nixpkgs>).success then import <nixpkgs> (if system == null then { } else { inherit system; })
    else problems [
      {
        message = "the models need 'pkgs', but <nixpkgs> cannot be found";
        hint = "set NIX_PATH=nixpkgs=/path/to/nixpkgs";
      }
    ]);

  isFile = role: input.models ? ${role}.file;
  fileOf = role: input.models.${role}.file;

  architectureFor = perSystem (system:
    call "the architecture model" (fileOf "architecture") { inherit system; pkgs = pkgsFor system; });

  infrastructure =
    if isFile "architecture" then (architectureFor null).infrastructure
    else if isFile "infrastructure" then call "the infrastructure model" (fileOf "infrastructure") { }
    else input.models.infrastructure.value;

  # Other problems of the infrastructure are reported elsewhere.
  targetTable = if isAttrs infrastructure then infrastructure else { };

  targets = import ./targets.nix { infrastructure = targetTable; inherit problems; inherit (input) targetProperty; };

  distribution =
    if isFile "distribution" then call "the distribution model" (fileOf "distribution") { inherit infrastructure; }
    else mapAttrs (_: targets.valuesOf) (input.models.distribution.placements or { });

  servicesFor = perSystem (system:
    let
      services =
        if isFile "architecture" then (architectureFor system).services
        else call "the services model" (fileOf "services") {
          inherit system distribution;
          pkgs = pkgsFor system;
          invDistribution = mapAttrs
            (name: target: target // { services = intersectAttrs (placedOn.${name} or { }) services; })
            targetTable;
        };
    in
    services);

  # Target -> the services that the distribution places there.
  placedOn =
    let
      placements = concatMap
        (service: map (target: { inherit service target; }) (targets.namesOf distribution.${service}))
        (attrNames distribution);
    in
    mapAttrs (_: list: listToAttrs (map ({ service, ... }: { name = service; value = true; }) list))
      (groupBy ({ target, ... }: target) placements);

  packagesFor = perSystem (system:
    if isFile "architecture" then (architectureFor system).targetPackages or { }
    else call "the packages model" (fileOf "packages") { inherit system; pkgs = pkgsFor system; });
in
{
  inherit architectureFor askedBy call distribution infrastructure packagesFor parameters positionOf problems servicesFor systemOf systems targets;
  quoted = names: concatStringsSep ", " (map (name: "'${name}'") names);
}
