import { z } from 'zod';
import { channelFailure } from '../../channel-failure.ts';

/**
 * A channel as every call answers it. The key is never among it; `key_hint` tells keys apart.
 */
export const channelData = z.object({
  id: z.number().int(),
  type: z.number().int(),
  /** Always empty: the key can be written, never read. */
  key: z.literal(''),
  /** A few characters of the key (Tollgate extension). */
  key_hint: z.string(),
  openai_organization: z.string(),
  test_model: z.string(),
  status: z.number().int(),
  name: z.string(),
  weight: z.number().int(),
  /** Unix seconds, as all times here. */
  created_time: z.number().int(),
  test_time: z.number().int(),
  /** Milliseconds of the last test; 0 while untested, and when the test failed. */
  response_time: z.number().int(),
  /** How the last test went (`testOutcome`): 0 not known, 1 passed, 2 failed (Tollgate extension). */
  test_outcome: z.number().int(),
  /** Why the last test failed; null unless it did (Tollgate extension). */
  test_failure: channelFailure.nullable(),
  base_url: z.string(),
  other: z.string(),
  /** US dollars, as the vendor says. */
  balance: z.number(),
  balance_updated_time: z.number().int(),
  /** Comma list. */
  models: z.string(),
  /** Comma list. */
  group: z.string(),
  /** Quota units. */
  used_quota: z.number().int(),
  /** JSON text: requested model → upstream model. */
  model_mapping: z.string(),
  /** JSON text: upstream status → status shown. */
  status_code_mapping: z.string(),
  priority: z.number().int(),
  /** 1 when Tollgate may switch the channel off by itself. */
  auto_ban: z.number().int(),
  /** JSON text with status_reason and status_time. */
  other_info: z.string(),
  tag: z.string().nullable(),
  /**
   * JSON text: force_format, thinking_to_content, proxy, pass_through_body_enabled, drain, no_stream_usage,
   * price_after_mapping, protocols.
   */
  setting: z.string(),
  /** JSON text: top-level keys that replace the caller's, and `operations`. */
  param_override: z.string(),
  /** Longer requests go to another channel while there is one; 0 for any length. */
  max_input_tokens: z.number().int(),
  /** What administrators note of it; never sent. Newer clients' name. */
  remark: z.string(),
});
export type ChannelData = z.output<typeof channelData>;

const words = z.object({ zh: z.string(), en: z.string() });

/** A kind of provider, for the channel form (Tollgate extension). */
export const channelTypeData = z.object({
  type: z.number().int(),
  /** Short lower-case name of the provider. */
  id: z.string(),
  name: words,
  base_url: z.string(),
  /** Format of the key; null for a plain one. */
  key_hint: words.nullable(),
  /** Meaning of the field `other`; null when unused. */
  other_hint: words.nullable(),
  /** An example of an address and what it is; null where it is simply a host. */
  address_hint: z.object({ placeholder: z.string(), meaning: words }).nullable(),
  models: z.array(z.string()),
  testable: z.boolean(),
  can_fetch_models: z.boolean(),
  has_balance: z.boolean(),
  /** True where the vendor closed: stored channels keep the type, and no new one can be of it. */
  closed: z.boolean(),
});
export type ChannelTypeData = z.output<typeof channelTypeData>;

/** How far the test of all channels is (Tollgate extension). */
export const channelTestProgress = z.object({
  running: z.boolean(),
  total: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  /** Which channels failed and why: the first `maxShownFailures` of them. */
  failures: z.array(z.object({ id: z.number().int(), name: z.string(), failure: channelFailure })),
});
/** As many failed channels the test of all tells by name; the list of channels shows every one. */
export const maxShownFailures = 50;
export type ChannelTestProgress = z.output<typeof channelTestProgress>;
