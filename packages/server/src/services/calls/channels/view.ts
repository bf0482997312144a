import { type ChannelData, channelFailure, type ChannelFailure } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { maskedHeaders } from './header-secrets.ts';
import { keyHint, openKey, splitKeys } from './keys.ts';
import { readJsonObject, withoutCredentials } from './parse.ts';
import { maskedSetting } from './proxy-password.ts';
import type { ChannelRow } from './types.ts';

/** A channel in answers: all fields except the key and the proxy's password, which are never returned. */
export function showChannel(row: ChannelRow, sealer: Sealer): ChannelData {
  return {
    id: row.id,
    type: row.type,
    key: '',
    ...keyFields(row, sealer),
    openai_organization: row.openai_organization,
    test_model: row.test_model,
    status: row.status,
    name: row.name,
    weight: row.weight,
    created_time: row.created_time,
    test_time: row.test_time,
    response_time: row.response_time,
    test_outcome: row.test_outcome,
    test_failure: failureOf(row.test_failure),
    base_url: withoutCredentials(row.base_url),
    other: row.other,
    balance: row.balance,
    balance_updated_time: row.balance_updated_time,
    models: row.models,
    group: row.group,
    used_quota: row.used_quota,
    model_mapping: row.model_mapping,
    status_code_mapping: row.status_code_mapping,
    priority: row.priority,
    auto_ban: row.auto_ban,
    other_info: row.other_info,
    tag: row.tag,
    setting: maskedSetting(row.setting),
    param_override: row.param_override,
    header_override: maskedHeaders(row.header_override),
    max_input_tokens: row.max_input_tokens,
    remark: row.remark,
  };
}

/** A row with a key that cannot be decrypted is shown without a key. */
function keyFields(row: ChannelRow, sealer: Sealer): Pick<ChannelData, 'key_hint' | 'channel_info'> {
  const key = openOrNone(row, sealer);
  if (row.multi_key_mode === '') return { key_hint: keyHint(key) };
  const keys = splitKeys(row.type, key);
  return {
    key_hint: keyHint(keys[0] ?? ''),
    channel_info: { is_multi_key: true, multi_key_size: keys.length, multi_key_mode: row.multi_key_mode },
  };
}

function openOrNone(row: ChannelRow, sealer: Sealer): string {
  try {
    return openKey(sealer, row);
  } catch {
    return '';
  }
}

/** Failure of the last test; null if it passed, or if the stored text is unreadable. */
function failureOf(text: string | null): ChannelFailure | null {
  if (text === null) return null;
  const read = channelFailure.safeParse(readJsonObject(text));
  return read.success ? read.data : null;
}
