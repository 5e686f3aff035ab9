# The arguments of the functions of packages: the inter-dependency parameters of each service, lazy and shared.
{ architecture, infrastructure, services, packagesOf, problems }:
let
  inherit (builtins) head intersectAttrs mapAttrs removeAttrs;

  dependencyAttributes = [ "dependsOn" "connectsTo" "activatesAfter" ];
  reserved = dependencyAttributes
    ++ [ "name" "pkg" "type" "deployState" "providesContainer" "providesContainers" "targets" ];

  # The containers that a service provides, with their properties as written in the model.
  containersOf = service:
    if service ? providesContainer then { ${service.providesContainer} = removeAttrs service reserved; }
    else service.providesContainers or { };

  # A target as dependants see it, with the properties of the service's container.
  targetAt = { target, container, containerProvidedByService ? null }:
    { name = target; } // removeAttrs infrastructure.${target} [ "containers" ] // architecture.infrastructure.${target} // {
      selectedContainer = container;
      container = (
        if containerProvidedByService == null then infrastructure.${target}.containers or { }
        else containersOf services.${containerProvidedByService}
      ).${container} or (problems [
        {
          message = "container '${container}' is not described on target '${target}'";
          hint = "add it to 'containers' of '${target}' in the infrastructure model";
        }
      ]);
    };

  at = name: placements:
    let targets = map targetAt placements; in
    {
      inherit targets;
      target =
        if targets == [ ]
        then problems [ { message = "service '${name}' is not placed on any target"; hint = "add '${name}' to the distribution"; } ]
        else head targets;
    };

  # A service as dependants see it; all dependants share one value, unless they choose targets.
  seen = mapAttrs
    (name: { type, deployState, targets, ... }:
      let
        service = services.${name};
        containers = containersOf service;
        own = { inherit name type deployState; pkgs = packagesOf name; };
      in
      removeAttrs service dependencyAttributes // own // at name targets
      // (if containers == { } then { } else { providesContainers = containers; })
      // (if parameters.${name} == { } then { } else { connectsTo = parameters.${name}; }))
    architecture.services;

  parameters = mapAttrs
    (_: { dependencies, ... }: mapAttrs
      (_: { service, targets ? null }:
        if targets == null then seen.${service} else seen.${service} // at service targets)
      dependencies)
    architecture.services;
in
parameters
