# Everything in the models except the packages, as data with names. Forces nothing that is not needed for it.
{ input, extraParams ? { } }:
let
  inherit (builtins) attrNames concatMap elem fromJSON head isAttrs isList isString listToAttrs mapAttrs readFile removeAttrs tail;

  request = fromJSON (readFile input);
  models = import ./models.nix { input = request; inherit extraParams; };
  inherit (import ./plain.nix { }) encoded plain plainMembers positionsBy positionsWithin unread;
  inherit (models) packagesFor systemOf systems;
  inherit (models.targets) isPlacement nameOf;

  # The members without those that are read in another way, or not read.
  others = known: table: removeAttrs table known;
  mapTable = read: value: if isAttrs value then encoded (mapAttrs read value) else plain value;
  mapItems = read: value: if isList value then map read value else plain value;
  optional = name: table: read: if table ? ${name} then { ${name} = read table.${name}; } else { };

  ## Infrastructure

  targetAttributes = [ "properties" "containers" "system" "numOfCores" "clientInterface" "targetProperty" ];

  targetData = _: target:
    if !isAttrs target then plain target
    else encoded (plainMembers targetAttributes target // mapAttrs (_: otherOfTarget) (others targetAttributes target));
  otherOfTarget = value: if request.isComplete then plain value else unread;

  targetPositions = _: target: if !isAttrs target then [ ] else [ (positionsBy knownPositions target) ];
  knownPositions = name: value: if elem name [ "properties" "containers" ] then positionsWithin value else [ ];

  ## Distribution, and other places that refer to targets

  placementsData = value:
    if isAttrs value && value ? targets && !(value ? properties)
    then { targets = mapItems placementData value.targets; }
    else mapItems placementData value;

  placementData = entry:
    if isPlacement entry then optional "target" entry mention // plainMembers [ "container" ] entry else mention entry;
  mention = target: let name = nameOf target; in if name == null then plain target else name;

  ## Services

  dependencyAttributes = [ "dependsOn" "connectsTo" "activatesAfter" ];
  ownAttributes = [ "name" "type" "deployState" "providesContainer" ];
  serviceAttributes = ownAttributes ++ dependencyAttributes ++ [ "pkg" "providesContainers" "targets" ];

  serviceData = names: _: service:
    if !isAttrs service then plain service
    else encoded (
      plainMembers ownAttributes service
      // listToAttrs (concatMap (kind: dependenciesData kind names service) dependencyAttributes)
      // optional "pkg" service (_: true)
      // optional "targets" service placementsData
      // optional "providesContainers" service plain
      // freeAttributes service
    );

  # With the shorthand, these are the properties of the provided container; otherwise only dependants read them, and who asks for some.
  freeAttributes = service:
    let free = others serviceAttributes service; in
    if service ? providesContainer then plainMembers (attrNames free) free
    else mapAttrs (_: _: unread) free // plainMembers request.attributes free;

  dependenciesData = kind: names: service:
    if service ? ${kind} then [ { name = kind; value = dependencyTable names service.${kind}; } ] else [ ];

  dependencyTable = names: value:
    if isList value then map (dependencyData names) value else mapTable (_: dependencyData names) value;

  # Never looks at the dependencies of a dependency, so that cycles do no harm here.
  dependencyData = names: dependency:
    if isString dependency then dependency
    else if !isAttrs dependency then plain dependency
    else if dependency ? service && !(dependency ? type) then
      optional "service" dependency (dependencyName names) // optional "targets" dependency placementsData
    else { service = dependencyName names dependency; } // optional "targets" dependency placementsData;

  dependencyName = names: dependency:
    if isString dependency then dependency
    else if !isAttrs dependency then plain dependency
    else if dependency ? name then plain dependency.name
    else names.${definedAt dependency} or null;

  # Services without `name` are identified by the position of their `type`.
  namesByPlace = services:
    mapAttrs (_: list: if tail list == [ ] then head list else null)
      (builtins.groupBy (name: definedAt services.${name}) (attrNames services));
  definedAt = service:
    if !isAttrs service then "" else builtins.toJSON (builtins.unsafeGetAttrPos "type" service);

  servicePositions = _: service: if !isAttrs service then [ ] else [ (positionsBy dependencyPositions service) ];
  dependencyPositions = name: value:
    if elem name (dependencyAttributes ++ [ "providesContainers" ]) && isAttrs value
    then [ (positionsBy (_: _: [ ]) value) ]
    else [ ];

  ## Files that are models of another kind: just enough to tell which

  sketch = name: value:
    if isDerivation value then unread
    else if isAttrs value then encoded (mapAttrs (memberSketch name) value)
    else if isList value then map itemSketch value
    else unread;
  memberSketch = table: name: value:
    if table == "profiles" && isString value then plain value
    else if name == "targets" && isList value then [ ]
    else unread;
  itemSketch = item: if isString item then plain item else if isAttrs item then encoded (mapAttrs (_: _: unread) item) else unread;
  isDerivation = value: isAttrs value && value.type or null == "derivation";

  ## Packages of targets: only their number

  packagesSection =
    let
      tables = map packagesFor systems;
      all = if builtins.all isAttrs tables then builtins.foldl' (merged: table: table // merged) { } tables else head tables;
      countOn = target: _: listData (packagesFor (systemOf target)).${target};
      listData = value: if isList value then map (_: true) value else if isAttrs value then { } else plain value;
      hasPackages = isAttrs all && builtins.any (value: isList value || isDerivation value) (builtins.attrValues all);
    in
    section (if hasPackages then countOn else sketch) (_: _: [ ]) all;

  ## Models with their places

  section = read: follow: table: {
    value = mapTable read table;
    positions = if isAttrs table then positionsBy follow table else null;
  };
  servicesSection = services:
    section (serviceData (if isAttrs services then namesByPlace services else { })) servicePositions services;
  infrastructureSection = section targetData targetPositions;

  architectureSection =
    let
      architecture = models.architectureFor null;
      sections = {
        services = servicesSection architecture.services;
        infrastructure = infrastructureSection architecture.infrastructure;
        targetPackages = packagesSection;
      };
      present = if isAttrs architecture then builtins.intersectAttrs architecture sections else { };
    in
    {
      value =
        if isAttrs architecture
        then mapAttrs sketch architecture // mapAttrs (_: { value, ... }: value) present
        else plain architecture;
      positions =
        if isAttrs architecture
        then positionsBy (name: _: if present ? ${name} then [ present.${name}.positions ] else [ ]) architecture
        else null;
    };

  readings = {
    architecture = architectureSection;
    infrastructure = infrastructureSection models.infrastructure;
    distribution = section (_: placementsData) (_: _: [ ]) models.distribution;
    services = servicesSection (models.servicesFor null);
    packages = packagesSection;
  };
in
listToAttrs (map (role: { name = role; value = readings.${role}; }) request.wanted)
// { parameters = { given = attrNames models.parameters; asked = models.askedBy request.wanted; }; }
