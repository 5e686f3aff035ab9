/** What each code of an error means and what to do about it. Codes are stable; docs/errors.md is written from this table. */
export const ERROR_CODES = {
  'already-locked': 'Another run holds the lock of this profile on that target. Try again later.',
  'already-running':
    'An activity of this service is still running on its target. Run the same command again: it waits for that activity first.',
  'altered-package':
    'A package in a store is not what it was when it was made: a program has written into it, somebody has changed it, or a disk has. It is not sent. davit-env with the models makes it again, and keeps what was there.',
  'authentication-failed':
    'The machine accepted none of the keys that ssh would use for this account. Make `ssh ADDRESS` work without a password first.',
  'bad-address': 'The infrastructure model contains an invalid address. Write `host`, `user@host` or `host:port`.',
  'bad-answer':
    'A machine sent an answer that davit does not understand. Look for programs that print something in its login shell, or for records edited by hand.',
  'bad-archive':
    'An archive or a stream of packages is damaged, or contains a file that davit does not unpack. Run the same command again.',
  'bad-copy':
    'A package that was to be copied from a target is not what its name or its registration stands for. Nothing was added; find out what has changed the store of that target.',
  'bad-derivation':
    'A file in the store that describes how to build a package is damaged or missing. Run davit-normalize again.',
  'bad-input':
    'A package in the Nix language is an input of a package in another language. Write both in the same language.',
  'bad-nix-answer':
    'Nix printed something unexpected. Check that the `nix` commands of this machine work, and their version.',
  'bad-package': 'A package in the models cannot be built as written. The problems are listed above the error.',
  'bad-package-name': 'The name of a package cannot be part of a store path. Use letters, digits, and `+ - . _ ? =`.',
  'bad-profile':
    'The profile of a target contains no readable profile manifest. Reconstruct from the records of the target with `--prefer records`, or deploy again.',
  'bad-record':
    'A record on a target is damaged and does not name the module to call. Deploy again: the next run uses the manifests instead.',
  'bad-repository':
    'A repository of stacks contains something that davit does not unpack, such as a link that leads out of it, or is damaged. The problem is in the repository.',
  'bad-request':
    'davit sent a request that its helper on the target does not support. This is a bug in davit: please report it.',
  'bad-root-name': 'The name of a garbage collection root is invalid. Use letters, digits, and `_ . + -`.',
  'bad-source': 'A source of a package cannot be read or copied. Its path is relative to the file that names it.',
  'bad-ssh-configuration': '`ssh -G` rejects the ssh configuration for that machine. Correct the line that it names.',
  'bad-store-directory':
    'The store cannot be in that directory. Set `DAVIT_STORE_DIR` to an absolute path of letters, digits and `_ . + -`.',
  'bad-system': 'The name of a platform is invalid. Set `DAVIT_SYSTEM` to a name such as `x86_64-linux`.',
  'bad-variable': 'A package sets a variable that builds cannot have. Rename it.',
  'build-failed': 'Some packages could not be built. The end of each log is shown above the error.',
  'build-lost':
    'The connection to a target was lost during a build. Run the same command again: finished builds are kept.',
  'cannot-add-root':
    'Nix could not protect a package from garbage collection. Check permissions and free space of the state directory.',
  'cannot-create':
    'A file or directory could not be written, on this machine or on a target. Free some space, or grant the permission with the command in the hint.',
  'cannot-lock': 'A file in the store could not be locked. Install `flock` from util-linux, and check the file system.',
  'cannot-read': 'A file or directory could not be read. Check its path and permissions.',
  'cannot-realise': 'Nix could not determine what has to be built. The message contains its reason.',
  'cannot-register':
    'A finished build could not be registered in the store of a target. Check permissions and free space there.',
  'cannot-start-program': 'A program could not be started. The message contains the reason given by the system.',
  'cannot-sync': 'The system could not write a directory to disk. Check the disk.',
  'cannot-unpack': 'An archive could not be unpacked into the store. Free some space, or check the permissions.',
  'cannot-use-store':
    'This account may not use the store, or Nix may not write to its own store. Use the account that owns the store, or another store.',
  'cannot-write': 'A file could not be written. Free some space, or check the permissions.',
  'channel-closed':
    'davit stopped listening to a script on a machine because the run was ending for another reason. See the other messages.',
  collected:
    'A package was garbage-collected on a target before it was needed. Run the same command again: the package is sent again.',
  'client-failed': 'A client executable could not be called, or failed. Call it by hand as the message shows it.',
  'collection-failed':
    'Garbage collection failed in some places. The places and reasons are listed above the error; run the same command again to retry.',
  'command-timeout': 'A program on this machine ran longer than allowed. Run it by hand to find out why.',
  conflict:
    'Another deployment has a service of this manifest on the same target. Rename the service, or undeploy the other deployment there first.',
  'connection-lost':
    'The connection to a machine broke, or the machine stopped answering. Activities continue there; run the same command again when the machine is reachable.',
  'contradictory-deployment':
    'Profiles and records of the targets contradict each other. Choose which of them counts with `--prefer`.',
  'contradictory-run':
    'The targets do not agree on how many of them the last run has told what it wanted, so that nobody can tell whether it had begun: it was cut off while it told them, or one of them lies. Deploy with the models.',
  'corrupt-state':
    'A file in the state directory of the coordinator is damaged. The hint explains how to continue without it.',
  'current-generation': 'The current generation cannot be deleted. Deploy, or switch to another generation, first.',
  'damaged-snapshot':
    'A snapshot of state is not what it was when it was taken. Restore another one, or take a new one; the message names the damaged file.',
  'dangling-reference': 'The manifest refers to something that it does not contain. Make the manifest again.',
  'directory-not-found': 'The working directory of a program does not exist. Create it.',
  'distribution-failed':
    'Packages did not reach some targets. The reasons are listed above the error; repeating the command sends only what is missing.',
  'empty-document':
    'A document is empty, usually because an earlier tool in the pipe has failed. See the message of that tool.',
  'ends-at-logout':
    'What davit starts on a target ends with its session there, by the settings of systemd, so that the processes of a deployment would not run on. The hint has the command that lets davit start them outside of its session, mostly `loginctl enable-linger ACCOUNT`.',
  failed: 'A target refused a request without a code that davit knows. The message contains the reason.',
  'fetch-failed':
    'Packages could not be copied from a target. Run the same command again: what a target has built is not built again.',
  'file-changed':
    'A file changed while davit was reading it. Run the same command again when nothing writes to the file.',
  'going-back':
    'A target goes back to what it ran before, since a deployment with `--confirm` was not confirmed in time. Wait until it has, or run the same command again, which waits.',
  'half-recorded':
    'A run was cut off while it recorded what it had deployed, so that the profiles of the targets do not belong together. Go on with `davit-env --resume -i INFRASTRUCTURE`.',
  'host-key-changed':
    'The machine presents a different host key than before: it was reinstalled, or the connection is intercepted. Compare the fingerprint before you replace the known key.',
  'host-key-revoked':
    'The host key of the machine is marked as revoked. Do not connect; find out who revoked it, and why.',
  'host-key-small': 'The host key is smaller than `RequiredRSASize` allows. Give the machine a larger key.',
  'host-key-unknown':
    'No known_hosts file contains the host key of the machine. Compare the fingerprint, then add the key with the command in the hint.',
  'import-failed': 'A target could not unpack the packages sent to it. Check free space and permissions there.',
  'incomplete-archive': 'A transfer to a target ended early. Run the same command again.',
  'incomplete-deployment':
    'Services that were read back need others of which no target tells, or nothing but a damaged record tells of them. Add the missing targets to the infrastructure, or use `--partial`.',
  'internal-error': 'This is a bug in davit. Please report it, with the text below the message.',
  interrupted: 'The run was stopped by a signal. The hint explains what state it left, and how to continue.',
  'invalid-architecture':
    'The dependencies of the services form a cycle, so that their keys cannot be computed. Break the cycle with `connectsTo`.',
  'invalid-document': 'A document is invalid. The problems are listed above the error, with their lines.',
  'invalid-manifest':
    'The services of a manifest cannot be put into an order of activation: their `dependsOn` form a cycle.',
  'invalid-model': 'The models have errors. They are listed above the error, with their lines.',
  'invalid-modules':
    'A directory of modules contains files that are not modules. The problems are listed above the error.',
  'invalid-name': 'The name of a deployment is invalid. Use letters, digits, and `_ . + -`, at most 200 characters.',
  'invalid-parameters': '`--extra-params` cannot be read. Pass an object in JSON, or, with Nix, an attribute set.',
  'invalid-path': 'A path is not in the store. Build or send it first.',
  'invalid-selection':
    'A value of `--on` cannot be read. Write names of targets, `@TAG`, `service:NAME` or `service:...NAME`, separated by commas; `!` excludes.',
  'invalid-stack':
    'A stack file, or its workspace, is wrong. Each finding above the error has a code of its own: see the table of findings in stack files.',
  'json-only': 'This document has no XML form. Write it as JSON.',
  'known-hosts':
    'A known_hosts file cannot be read or written. Check its permissions, or name another file in the ssh configuration.',
  'lock-lost':
    'The lock expired, was removed, or was taken by somebody else. Nothing was changed after that. Repeat the command; after davit-lock, run davit-unlock first.',
  'lock-refused': 'Some services refuse to be changed now. Try again later, or find out why the service refuses.',
  locked:
    'Another run holds the lock of this profile. Try again later; if nobody is using it any more, release it with davit-unlock.',
  'lossy-conversion': 'davit-convert would have to leave out what is listed above the error. `--lossy` does.',
  'may-not-write':
    "The account on a target may not write to davit's state directory or store. Run the command in the hint as root.",
  'mixed-stores':
    'Some packages are in the Nix language and others are not, but a deployment has only one store. Write all of them in one way.',
  'model-failed': 'A model in TypeScript or JavaScript threw an error. Its place is shown above.',
  'nix-failed': 'Nix failed on a machine. The message contains what it printed.',
  'nix-missing': 'A target needs Nix, but Nix is not installed there. Install it, or use the native store.',
  'nix-not-found': 'Nix is not installed on this machine. Install it, or write the packages in another language.',
  'nix-store-ended': 'The Nix process of a machine ended unexpectedly. The message contains its reason.',
  'nix-too-old': 'The version of Nix on a machine is too old. Install a newer version.',
  'no-address': 'A target has no address. Set the property that the message names.',
  'no-answer':
    'A machine was reached, but started no shell, or did not answer, in time. Log in by hand, and see what it is waiting for.',
  'no-clock': 'A target cannot read its clock. Try `date +%s` there.',
  'no-deployment': 'Nothing is deployed under this name. The hint lists the deployments that exist.',
  'no-generation': 'There is no such generation. davit-generations lists those that exist.',
  'no-input': 'A tool has nothing to read. Name a file, or pass a document on standard input.',
  'no-model': 'A generation has no text of such a model. `davit-generations --show N` lists what it was made from.',
  'no-module':
    'A profile, a target or davit has no lifecycle module for a type of service. Add a directory that contains one with `--modules`; for a manifest of Disnix, `davit-manifest -D` makes one with modules.',
  'no-network':
    'A package needs the network, but builds with Nix have no network. Fetch files with a fixed-output derivation.',
  'no-profile': 'A target does not have the profile of the manifest. Run davit-distribute first.',
  'no-record': 'That service has no record. Compare the name with `davit-env --dry-run`.',
  'no-shell': 'The login shell of the account on a machine does not run commands. Give the account another shell.',
  'no-snapshot': 'No such snapshot is kept. davit-snapshots lists those that are.',
  'no-state':
    'A target has no state of a service of which a snapshot was to be taken. Its disk may be new; restore the last snapshot that is kept.',
  'no-state-directory': 'davit cannot determine where to keep its state. Set `DAVIT_STATE_DIR` or `HOME`.',
  'no-such-stack':
    'A repository has no stack in the directory that the reference stands for, or no version of it that fits. Correct the reference, or tag a version.',
  'no-environment':
    'The environment of a service on a target cannot be known: the target is reached through a client executable, or the record is damaged.',
  'no-service': 'There is no service of that name on the targets that were asked. Check the spelling, and the targets.',
  'no-target': 'There is no such target, or no services were left behind on it. Check the spelling.',
  'no-trial': 'A target has nothing to confirm: somebody has removed its trial, or it was confirmed.',
  'not-a-model':
    'A file is another kind of document, not a model. Remove `document` and `version`, or use the option for that document.',
  'not-a-nix-store':
    'A machine answered with something other than the protocol of a Nix store. Look for programs that print something in its login shell.',
  'not-built': 'A target reported a successful build, but does not have its result. Run the same command again.',
  'not-confirmed':
    'Not every target could be reached over a new connection after the activation, so that the deployment was not confirmed. The error says which targets went back, and which could not be asked.',
  'not-locked':
    'There is no such lock: it was never taken, it has expired or was removed, or the machine was reinstalled. davit-lock takes it again.',
  'not-ours':
    'The services under this name were deployed by another coordinator, or share nothing with what is to be deployed, so that all of them would stop. Choose another name with `-p`, or replace them with `--take-over`.',
  'not-owner': 'Something in the store belongs to another account. Only that account or root can collect it.',
  'not-private':
    'Other accounts may change a directory from which modules are called, or where davit keeps its state on a target, so that they could have davit do anything. Make it belong to your account or root, and take the right to write from others.',
  'not-revertible':
    '`--confirm` undoes services, and not what becomes of their state, so that it is refused together with a plan that moves or deletes state. Deploy without it, or with `--no-migration`. Targets behind client executables have no process of davit that could go back, so that they cannot be changed with it either.',
  'not-text': 'A file is not UTF-8 text. Convert it.',
  'nothing-found':
    'The targets know of no deployment with this name. Check the name, the infrastructure, and the account that logs in.',
  'nothing-selected':
    'Nothing matches a name of `--on`, or no service with state matches the options. The hint has a similar name, or those that there are.',
  'original-changed':
    'Disnix has deployed on a target while davit-adopt was at work, or since davit has adopted or set its profile. Nothing of that is lost: davit-adopt takes it over.',
  'original-deployment':
    'Disnix has deployed services that would be started twice, or stopped, and its deployment was not adopted, or not completely. Take it over with davit-adopt, or go on regardless with `--beside-original`.',
  'original-locked':
    'Disnix holds its lock on a target, or has left it there. Wait until it has finished, or remove the file if it is dead.',
  'original-needs-nix':
    'Only what is in the store of Nix can be given to Disnix. Deploy with that store, or without `--original-profile`.',
  'original-of-no-target':
    'A machine has a deployment of Disnix for a target of another name, and several targets of the infrastructure are that machine. Name one of them like the target of Disnix.',
  'other-generation':
    'The manifest is not the one of the given generation. Print that manifest with davit-generations.',
  'output-too-large': 'A program printed more than davit reads. Run it by hand to see why.',
  'part-not-alone':
    'A manifest says something new of what `--on` leaves out. Pass it through `davit-select --on …` first, or act on everything.',
  'part-refused':
    'What `--on` selects would break something that is left out, for the reasons above the error. Select what the hint names as well, or deploy everything.',
  'part-unfinished':
    'A run was cut off after it had begun on something that `--on` leaves out. Continue it with `davit-env --resume`, take it back with `davit-env --abort`, or deploy without `--on`.',
  'plan-of-manifest':
    'A plan that was made with `--from` leads from another manifest, and no machine was asked. Make it without that option to carry it out.',
  'plan-carried-out':
    'Nothing of the plan is left to be done: somebody has carried it out. davit-plan with the same models shows whether anything else is to be done.',
  'plan-outdated':
    'What is active has changed since the plan was made, so that something else would be done. The differences are listed above the error. Make the plan anew with davit-plan, and look at it.',
  'program-not-executable': 'A file is not executable. Make it executable.',
  'program-not-found': 'A program is not installed, or not on `PATH`. Install it.',
  'refused-by-system':
    'The operating system refused an operation, such as writing to a full disk. The message contains the reason.',
  'rolled-back':
    'The transition failed or was interrupted, and everything is as it was before. Fix the cause, then run the same command again.',
  'secret-unresolved':
    'A secret that a service needs cannot be read on this machine. Nothing was changed; provide the file, variable or command that the message names.',
  'session-refused':
    'A machine refuses another session on a connection. Its sshd limits them (`MaxSessions`) or forbids commands.',
  'several-places':
    'A service is in several places, and only one can have a shell. Choose one with --target and --container.',
  'shared-service':
    'The plan would stop a service that another deployment has on the same target as well, since both were adopted. The hint names the command that leaves it to the other one.',
  'source-too-large':
    'A source is larger than allowed. Name a directory with only what the package needs, or raise the limit as the hint describes.',
  'state-failed':
    'Not everything was done about the state of services. What failed is listed above the error; the rest was done.',
  'state-lost':
    'State would be left in a container whose provider is removed. Delete the state or keep the provider, or use --no-migration.',
  'state-unreachable':
    'The state of a service would have to move away from a target that cannot be reached. Make the target reachable, or leave the service there.',
  'still-deployed': 'The target is part of the current deployment and cannot be forgotten. Deploy without it first.',
  'still-running': 'An activity is still running, and a dry run does not wait for it. Try again when it has ended.',
  'strange-program':
    'A document names programs that the current generation does not use, and a tool that only looks starts no others. Read which programs these are, and pass `--trust-programs` if you trust them.',
  'store-busy': 'The store is being changed continuously. Collect garbage later.',
  'targets-unreachable':
    'Some targets cannot be reached; the reasons are listed above the error. `--skip-unreachable` continues without them.',
  'too-large': 'A file is larger than davit reads. Check that it is the right file.',
  'transfer-failed': 'A snapshot of state did not arrive as it was sent. Run the same command again.',
  'transition-failed':
    'The transition failed, and some of it could not be undone. The hint explains what is left, and how to continue.',
  'unfetched-stacks':
    'Some stacks could not be fetched; the reasons are listed above the error. What was fetched stays: run the same command again.',
  'unfit-for-language': 'The result cannot be in that language, for the reasons above the error. Use another one.',
  'unfit-text':
    'A text contains a character that XML cannot represent. Remove the character, or write the document as JSON.',
  'unknown-kind': 'davit-convert cannot tell what a file contains, for instance because it is empty. Pass `--kind`.',
  'unlock-refused': 'The `unlock` activity of some services failed. Look at their logs.',
  unplaceable:
    'No target can take some of the services. What each target lacks is listed above the error; add targets, or containers and tags to targets.',
  unreachable: 'A machine cannot be reached. Make `ssh ADDRESS` work first.',
  'unreachable-repository':
    'A repository of stacks cannot be read by git. Make `git ls-remote ADDRESS` work first: address, network, keys or passwords.',
  'unreadable-modules': 'A directory of modules cannot be read. Check its path and permissions.',
  'unsupported-interface':
    'A target names a client interface that does not exist. Use `ssh`, `local`, the path of a client executable, or its name, which ends in `-client`. The machine of a client executable needs `--store nix`.',
  'unsupported-language':
    'The language of a model cannot be told from the name of its file. The hint lists the known endings.',
  'unsupported-ssh-option':
    'The ssh configuration uses an option that davit does not support. Change it for this machine.',
  'unusual-file':
    'A source or a build output contains a file that packages cannot contain, such as a device or a socket. Remove it.',
  'untrusted-builds':
    'A machine without bubblewrap would run builds from stacks that were fetched. Install bubblewrap there, or read the builds and give `--trust-builds`.',
  usage: 'A command line argument or a variable is invalid. `--help` lists the options of the tool.',
  'utility-missing': 'A machine lacks programs that davit needs. Install the programs that the message names.',
  'wanted-elsewhere':
    'This coordinator has recorded a run that was cut off, and somebody has deployed something else to its targets since, or begun to. Choose with `--prefer` what to go on with.',
  'wanted-unknown':
    'Not all targets know what the run wanted that was cut off, since one was reinstalled, or is not in the infrastructure. Deploy with the models.',
  'would-overwrite': 'A file that would be written exists already. Name another directory, or move the file.',
  'wrong-model': 'A model was passed with the option for another kind of model. Use the option that the message names.',
  'wrong-store': 'Something belongs to another store than the deployment. Use the store that the message names.',
  'wrong-system':
    'Packages are for another platform than this machine, which would have to build them. Build them on the targets with `--build-on-targets`, or correct `system`.',
} as const satisfies Readonly<Record<string, string>>

export type ErrorCode = keyof typeof ERROR_CODES
