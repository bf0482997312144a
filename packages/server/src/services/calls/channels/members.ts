import { AppError, channelLimits, isRegion, type Words } from '@tollgate/contract';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { headerFault, operationFault } from '../../../relay/types/index.ts';
import { readJsonObject } from './parse.ts';

/** JSON fields with members that the relay reads by name. */
type MemberFields = Record<(typeof memberFields)[number], string>;
const memberFields = ['setting', 'param_override', 'header_override'] as const;

const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const flag = { is: isFlag, kind: { zh: ' true 或 false', en: 'true or false' } };

const text = { is: (value: unknown) => typeof value === 'string', kind: { zh: '文字', en: 'text' } };

/** Members of `setting` that have an effect, with their types. */
const settingMembers: Readonly<Record<string, { is(value: unknown): boolean; kind: Words }>> = {
  force_format: flag,
  thinking_to_content: flag,
  pass_through_body_enabled: flag,
  drain: flag,
  no_stream_usage: flag,
  price_after_mapping: flag,
  protocols: {
    is: (value) => value === 'all' || value === 'chat',
    kind: { zh: ' "all" 或 "chat"', en: '"all" or "chat"' },
  },
  system_prompt: text,
  system_prompt_override: {
    is: (value) => isFlag(value) || value === 'instead',
    kind: { zh: ' true、false 或 "instead"', en: 'true, false or "instead"' },
  },
  proxy: text,
  region: {
    is: (value) => typeof value === 'string' && isRegion(value),
    kind: {
      zh: '地区名，如 "eu"：小写字母、数字、连字符',
      en: 'a region such as "eu": small letters, digits, hyphens',
    },
  },
  no_retention: flag,
  limits: {
    is: (value) => channelLimits.safeParse(value).success,
    kind: {
      zh: '限额对象：requests_per_minute、tokens_per_minute、calls_at_once、dollars_per_day、wait_seconds（最多 60）',
      en: 'limits: requests_per_minute, tokens_per_minute, calls_at_once, dollars_per_day, wait_seconds (60 at most)',
    },
  },
};

const headerKind: Words = {
  zh: ' ASCII 文字，可含 {api_key}，或仅为允许转发的 {client_header:名称}',
  en: 'a text in ASCII, with {api_key} or as {client_header:name} of a header that may be passed on',
};

/** A value without effect: forms of other programs send every member. */
const isNothing = (value: unknown): boolean =>
  value === null || value === false || value === '' || JSON.stringify(value) === '{}' || isEmptyList(value);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function checkMember(field: string, member: string, value: Json | undefined): void {
  if (field === 'param_override') {
    const fault = operationFault({ [member]: value });
    if (fault !== undefined) throw new AppError('channel_member_idle', { field, member: fault });
    return;
  }
  if (field === 'header_override') {
    const fault = headerFault(member, value);
    if (fault === 'name') throw new AppError('channel_member_idle', { field, member });
    if (fault) throw new AppError('channel_member_type', { field, member, kind: headerKind });
    return;
  }
  const known = Object.hasOwn(settingMembers, member) ? settingMembers[member] : undefined;
  if (!known) throw new AppError('channel_member_idle', { field, member });
  if (!known.is(value)) throw new AppError('channel_member_type', { field, member, kind: known.kind });
}

/**
 * Refuses unknown members of a channel's JSON fields by name. Members that the row already has (`before`) are accepted,
 * so that an imported channel can be edited.
 */
export function checkMembers(fields: MemberFields, before?: MemberFields): void {
  for (const field of memberFields) {
    const stored: JsonObject = (before && readJsonObject(before[field])) ?? {};
    for (const [member, value] of Object.entries(readJsonObject(fields[field]) ?? {})) {
      const isStored = Object.hasOwn(stored, member) && isSame(stored[member], value);
      // The name of a wildcard is sufficient.
      const isOff = isNothing(value) && field !== 'header_override';
      if (!isStored && !isOff) checkMember(field, member, value);
    }
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
