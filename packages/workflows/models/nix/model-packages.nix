# The packages of services and targets: instantiated, not built.
{ input, extraParams ? { } }:
let
  inherit (builtins) addErrorContext attrNames concatLists concatMap filter fromJSON functionArgs getContext head isAttrs isFunction isPath isString listToAttrs mapAttrs readFile;

  request = fromJSON (readFile input);
  inherit (request) architecture selections;
  models = import ./models.nix { input = request; inherit extraParams; };
  inherit (models) positionOf problems quoted;
  inherit (import ./plain.nix { }) positionIn;

  parameters = import ./parameters.nix {
    inherit architecture;
    inherit (models) infrastructure problems;
    services = models.servicesFor null;
    packagesOf = name:
      listToAttrs (map (system: { name = system; value = packageOf system name; }) architecture.services.${name}.systems);
  };

  parametersOf = name: parameters.${name};

  serviceFor = system: name:
    (models.servicesFor system).${name} or (problems [
      { message = "the services model has no service '${name}' for ${system}, although it has one for other systems"; }
    ]);

  # Functions are only called for services with dependencies, as in the original toolset.
  packageOf = system: name:
    let inherit (serviceFor system name) pkg; in
    if parametersOf name == { } then pkg else pkg (parametersOf name);

  ## Problems that davit reports itself, all together

  problemsOf = { service ? null, system, ... }:
    if service == null then [ ] else problemsOfService service (serviceFor system service);

  problemsOfService = name: service:
    let
      inherit (service) pkg;
      formals = functionArgs pkg;
      given = parametersOf name;
      unknown = filter (formal: !formals.${formal} && !(given ? ${formal})) (attrNames formals);
    in
    if !isFunction pkg then [ ]
    else if unknown != [ ] then map (formal: unknownParameter name formal formals) unknown
    else if given == { } then [ (uncalled name service) ]
    else [ ];

  unknownParameter = name: formal: formals:
    let known = attrNames (parametersOf name); in
    positionOf formal formals // {
      message = "package of service '${name}' takes '${formal}', but '${formal}' is not among its dependencies";
      hint =
        if known == [ ] then "it has no dependencies; services name theirs in 'dependsOn' and 'connectsTo'"
        else "its dependencies are ${quoted known}";
      wrong = formal;
      candidates = known;
    };

  uncalled = name: service: positionOf "pkg" service // {
    message = "package of service '${name}' is a function, but '${name}' has no dependencies to call it with";
    hint = "leave out the function, or name what it needs in 'dependsOn' or 'connectsTo'";
  };

  ## Results

  valueOf = { service ? null, target ? null, index ? 0, system }:
    if service == null
    then {
      what = "package of target '${target}'";
      place = positionIn (models.packagesFor system) target;
      value = builtins.elemAt (models.packagesFor system).${target} index;
    }
    else {
      what = "package of service '${service}' for ${system}";
      place = positionIn (serviceFor system service) "pkg";
      value = packageOf system service;
    };

  resultOf = selection:
    let
      inherit (valueOf selection) what place value;
      result = instantiated value;
    in
    addErrorContext "@davit ${what}" (addErrorContext "@davit-at ${toString place}" (builtins.deepSeq result result));

  instantiated = value:
    let
      out = storePathOf value;
      context = getContext out;
      derivations = filter (path: context.${path} ? outputs) (attrNames context);
    in
    { inherit out; drv = if derivations == [ ] then null else head derivations; };

  storePathOf = value:
    let text = if isString value then value else "${value}"; in
    if isString value || isPath value || (isAttrs value && value ? outPath) then
      (if builtins.match "${builtins.storeDir}/[^/]+" text == null
       then problems [ { message = "expected a derivation or a store path, but got the text '${text}'"; } ]
       else text)
    else problems [ { message = "expected a derivation, but got ${kindOf value}"; } ];

  kindOf = value:
    let kinds = { int = "an integer"; bool = "true or false"; lambda = "a function"; null = "nothing (null)"; }; in
    kinds.${builtins.typeOf value} or "a ${builtins.typeOf value}";

  results = map resultOf selections;

  # A text that refers to all derivations, not to their outputs.
  roots =
    let
      derivations = concatMap ({ drv, ... }: if drv == null then [ ] else [ drv ]) results;
      unique = attrNames (builtins.groupBy (drv: drv) derivations);
      refer = drv: builtins.appendContext drv { ${drv} = { path = true; }; };
    in
    builtins.toFile "davit-derivations" (builtins.concatStringsSep "\n" (map refer unique));

  found = concatLists (map problemsOf selections);
in
if found == [ ] then { inherit roots; packages = results; } else problems found
