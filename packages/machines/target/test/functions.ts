import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { basename, join } from 'node:path'

import { notedCalls } from '@davit/testing/noted-calls'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { expect, test } from 'vitest'

const RUNTIME = fileURLToPath(new URL('../../../shipped/target-runtime/runtime/', import.meta.url))

/** Names of the functions in each part of the scripts. */
export const FUNCTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  readdirSync(RUNTIME).map((file) => [
    basename(file, '.sh'),
    Array.from(readFileSync(join(RUNTIME, file), 'utf8').matchAll(/^(\w+)\(\) [{(]$/gm), ([, name = '']) => name),
  ]),
)

/** Tests that the tests before it, in the same shell, have called the functions of a row of `CALLED`. */
export function testCalls(shell: Shell, row: string): void {
  // Some are called only where root runs the tests.
  test.runIf(process.getuid?.() === 0)(
    `all functions of scripts for which ${row} stands have been called`,
    { sequential: true },
    async () => {
      // A process in the background may call its first one late.
      await until(() => {
        const called = notedCalls(shell)
        expect(functionsIn(CALLED[row] ?? []).filter((name) => !called.has(name))).toEqual([])
      })
    },
  )
}

/** Returns the functions of words `PART`, or `PART FUNCTION…`. */
export function functionsIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const [part = '', ...names] = word.split(' ')
    return names.length > 0 ? names : (FUNCTIONS.get(part) ?? [])
  })
}

/** Test files whose tests call functions in every shell, with `PART`, or `PART FUNCTION…`. */
export const CALLED: Readonly<Record<string, readonly string[]>> = {
  activity: ['activity operation_await never_began', 'claim take_away', 'runner watch_module was_late'],
  'altered-packages': ['native-altered'],
  'client-state': [
    'activity operation_log',
    'client-call',
    'client-runner',
    'client',
    'record is_complete',
    'runner mark_unused await_log',
    'snapshot-content strip_rights unpack check_paths extract remove_unlisted extract_archive decompress has_own_files match_listing',
    'snapshot-owners look_up resolve_owners resolve_owner expect_owners amend_entries amend_each',
    'snapshot-past note_replaced end_replacement list_replaced note forget note_restored find_followed',
    'snapshot-runner choose_snapshot open_view find_reader note_reader',
    'snapshot-store operation_snapshot_components note_checksum operation_clean_snapshots remove_all_unneeded remove_unneeded say_removed find_awaited',
    'snapshot-verify',
    'snapshots list_unneeded check_foreign foreign_sum',
    'state remove_mapping',
  ],
  condition: ['condition'],
  'disk-full': [
    'begin abandon_activity',
    'lock believe_holder operation_unlock',
    'native-transfer operation_native_commit time_directories choose_received publish_records check_needs operation_native_discard',
    'refuse cannot refuse_account',
  ],
  'every-operation': [
    'activity operation_start operation_abandon',
    'adopt operation_adopt_record take_running find_original_state operation_adopt_state adopt_markers marker read_component name_component is_component copy_store operation_original_marks',
    'ask begin_asking',
    'asker ask_services ask_in_lanes ask_in_turn',
    'begin spawn spawn_and_wait become_runner begin_activity without_record claim_mapping write_intention',
    'claim process_identity own_identity is_alive claim claim_in_turn is_claimed',
    'collect operation_trim_profile',
    'common decode write_text rename_text replace_text first_line exists has_line make_places tar_in_large_parts',
    'holder',
    'inventory',
    'lock-file find_lock is_foreign',
    'lock-state',
    'lock write_holder describe_holder write_new_holder operation_lock say_number operation_renew',
    'look',
    'native-aside',
    'native-receive',
    'native-send',
    'native-transfer operation_native_mark',
    'observe operation_observe say_mapping say_declared say_activity',
    'original say_originals',
    'profile-manifest',
    'profile',
    'protect operation_protect protect_native',
    'read-profiles',
    'record mapping_directory compose_record resolve_module is_running',
    'refuse fail find_profiles make_directory hexadecimal check_names check_store_paths',
    'resolve',
    'roots',
    'runner run run_activity find_component is_of_dysnomia mark_used note_beginning forget_note mark_with_record claim_module call_module is_variable become_module open_log open_pipe is_pipe keep_log fill_log await_module',
    'secrets',
    'serve',
    'snapshot-activity operation_start_state check_component state_directory begin_state has_state operation_state_marks',
    'snapshot-changes pack_at_rest watch_files is_unchanged where_to_read admit note_attributes say_left_out name_attribute name_some',
    'snapshot-content list_content list_entries list_files digest_files digest_listed list_links same_length paths_of keep_snapshot require_intact lines_without pack split_members pack_members is_gnu_tar pack_archive choose_compressor compress',
    'snapshot-owners owner_words',
    'snapshot-past note_saved list_origins keep_verification',
    'snapshot-places',
    'snapshot-runner run_state make_accounts prepare_state close_views remove_dump make_dump finish_state write_facts size_of',
    'snapshot-store open_component operation_snapshots say_generations operation_snapshot_files operation_snapshot_missing find_intact drop_damaged has_all find_archive operation_snapshot_commit operation_note_verified assemble',
    'snapshots use_component complain choose_digester digest_of is_checksum is_packed is_plain find_latest each_generation number_generations add_snapshot check_snapshot check_listing check_archives is_numbered check_archive set_aside in_turn',
    'state write_state state_text read_state',
    'unrecorded',
    'wanted',
    'write-archive',
  ],
  logs: ['log-caller', 'logs operation_call_logs operation_activity_logs'],
  'logs-of-others': [
    'logs operation_read_files read_file say_refusal examine is_at sum_at_start read_predecessor say_part part whole_lines',
    'read-as',
    'safe-path check_path check_stretch check_step refuse_step',
  ],
  'modules-of-dysnomia': ['record find_of_dysnomia'],
  'native-bring': ['native-transfer operation_native_closure note_needed list_registrations note_references'],
  'native-build': [
    'native-adopt',
    'native-build',
    'native-builder end_leftover discard_build clear_place supervise_build perform_build claim_build leave_build owns_build make_output discard_rubbish run_builder watch_size is_large keep_build_log enter_build judge_output normalize_output',
    'native-place',
    'native-store is_valid check_received clear_path clear_marks place_paths place_batch in_batches',
    'native-transfer operation_native_missing hold_asked keep_asked',
    'remove-tree',
  ],
  'native-collect': ['collect list_needed'],
  'nix-build': ['nix-channel', 'nix-realise'],
  originals: [
    'adopt renew_module numbers_in copy_generation copy_payload operation_note_original note_original operation_give_back give_markers check_known give_profile',
    'lock-file is_held',
    'nix',
    'original is_adopted',
    'record refuse_running',
    'refuse need_profiles',
  ],
  'originals-beside': ['adopt is_private', 'make-lock', 'original-lock'],
  questions: [
    'activity ended_status',
    'ask operation_ask operation_await_asked names_questions',
    'asker prepare_questions forget_questions ask_under_lock may_ask claim_question',
  ],
  'replaced-snapshots': ['snapshot-past can_be_replaced'],
  'shared-store': [
    'collect use_native list_kept name_of_profile list_others is_locked can_see list_fields list_active list_records list_wanted say_each list_generations sum_of operation_native_survey operation_native_collect check_owner unregister move_aside await_commits let_go',
    'native-store is_rubbish',
  ],
  snapshots: [
    'snapshot-activity abandon_state',
    'snapshot-content can_add',
    'snapshot-store operation_snapshot_discard',
  ],
  times: ['observe say_other'],
  trial: [
    'claim is_dead',
    'refuse quoted',
    'restart find_starter',
    'session leave_session',
    'trial-back watch_trial claim_trial end_of_trial go_back await_activities go_back_stop is_as_before secrets_for carry_out end_trial',
    'trial-begin operation_trial_begin abandon_trial write_order write_script assign write_deadline arrange_boot choose_start name_trial operation_trial_extend operation_trial_revert',
    'trial-confirm',
    'trial is_over mark_back keep_watcher end_watcher remove_trial forget_boot',
  ],
  'trial-restart': ['trial-back reports_to_run'],
  'trial-way-back': ['trial-back go_back_start is_activated', 'trial-begin operation_trial_forget'],
  'trim-remnants': ['collect operation_trim_remnants without_records trim_logs trim_given_up'],
  'verify-snapshots': ['snapshot-activity operation_discard_aside'],
}

/** Tests of other packages that call functions in every shell, below `packages/`. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'shipped/target-runtime/test/arrange-boot.machines.test.ts': [
    'trial-begin arrange_unit arrange_service arrange_file add_to_crontab',
  ],
  'shipped/target-runtime/test/claim.machines.test.ts': ['claim has_no_process'],
  'shipped/target-runtime/test/direct-send.machines.test.ts': ['direct-send'],
  'shipped/target-runtime/test/safe-path.machines.test.ts': ['safe-path follow_link'],
  'shipped/target-runtime/test/session.machines.test.ts': ['session find_unit will_end unit_ends logout_ends lingers'],
  'workflows/client-interface/test': [
    'interface',
    'interface-capture',
    'interface-lock',
    'interface-module',
    'interface-nix',
    'interface-profile',
    'interface-runner',
    'interface-settings',
    'interface-shell',
    'interface-snapshots',
    'interface-start',
    'capture',
    'diagnose',
    'diagnosis',
  ],
}

/** Functions that some shell does not call unless all tests run in all shells, by the reason. */
export const NOT_IN_ALL: Readonly<Record<string, readonly string[]>> = {
  'real Nix stores are used with one shell': ['collect operation_nix_collect', 'nix-roots', 'protect protect_nix'],
  '/bin/sh runs this program': ['client-module'],
  'bash has the utilities of dash; dash and busybox call these': [
    'snapshot-changes copy_changed find_place copy_file read_open',
    'snapshot-content pack_sparse can_make_holes extract_sparse',
  ],
  'busybox runs no crontab of a test; dash and bash call these': [
    'restart cron_runs',
    'trial in_crontab remove_from_crontab',
  ],
  'only failed builds and damaged copies call these': [
    'native-builder end_group give_to put_aside show_log',
    'snapshot-store discard_damaged',
  ],
  'only races and lost helpers call these': [
    'collect is_coordinator_alive',
    'common pause',
    'snapshot-activity refuse_busy operation_await_state',
  ],
}
