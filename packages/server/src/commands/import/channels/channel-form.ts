import type { ChannelInput } from '@tollgate/contract';
import { isFilled, type JsonObject } from '../../../lib/json.ts';
import type { AdoptedChannel } from '../../../services/calls/channels/index.ts';
import type { SourceChannel } from './read-channels.ts';

/** Members of `setting` that Tollgate has, with their types. */
const settingKinds: Readonly<Record<string, string>> = {
  force_format: 'boolean',
  thinking_to_content: 'boolean',
  pass_through_body_enabled: 'boolean',
  proxy: 'string',
  system_prompt: 'string',
  system_prompt_override: 'boolean',
  // Of translated sources only.
  limits: 'object',
};

/**
 * Members of `settings` without effect: they allow things that are always allowed here, describe the kind of a key,
 * which its form shows, or update lists of models.
 */
const idleSettings = /^(allow_|upstream_model_update_)|^(aws_key_type|vertex_key_type)$/;
/** The version of Azure's Responses that both programs use. */
const usualResponses = 'preview';

/** Unsupported members that change a channel's calls, by name: without them its calls would differ. */
export function leftOfChannel({ cells }: SourceChannel): string[] {
  const members = Object.entries({ ...cells.json('setting') }).filter(
    ([name]) => !Object.hasOwn(settingKinds, name),
  );
  const settings = Object.entries(cells.json('settings')).filter(
    ([name, value]) =>
      !idleSettings.test(name) && !(name === 'azure_responses_version' && value === usualResponses),
  );
  const named = [...members, ...settings].filter(([, value]) => isFilled(value)).map(([name]) => name);
  return named;
}

/** A channel in the form of the API. `withheld` has the models that it must not offer here. */
export function channelForm(
  channel: SourceChannel,
  withheld: ReadonlySet<string>,
): Omit<ChannelInput, 'key' | 'status'> {
  const { cells } = channel;
  const models = cells.text('models').split(',');
  return {
    type: channel.type,
    name: cells.text('name').slice(0, 100) || `${channel.id}`,
    openai_organization: cells.text('open_ai_organization'),
    test_model: cells.text('test_model'),
    weight: Math.max(0, cells.whole('weight')),
    base_url: channel.baseUrl,
    other: channel.other,
    models: models.filter((model) => !withheld.has(model.trim())).join(','),
    group: cells.text('group') || 'default',
    model_mapping: jsonText(cells.text('model_mapping')),
    status_code_mapping: jsonText(cells.text('status_code_mapping')),
    priority: cells.whole('priority'),
    auto_ban: cells.has('auto_ban') && cells.whole('auto_ban') === 0 ? 0 : 1,
    tag: cells.text('tag'),
    setting: settingText(cells.json('setting'), channel),
    param_override: jsonText(cells.text('param_override')),
    header_override: jsonText(cells.text('header_override')),
    max_input_tokens: 0,
    remark: cells.text('remark').slice(0, 255),
  };
}

/** State of a channel in the source. */
export const pastOf = ({ cells }: SourceChannel): AdoptedChannel['past'] => ({
  created_time: cells.whole('created_time'),
  test_time: cells.whole('test_time'),
  response_time: Math.max(0, cells.whole('response_time')),
  balance: cells.real('balance'),
  balance_updated_time: cells.whole('balance_updated_time'),
  other_info: jsonText(cells.text('other_info')),
});

const jsonText = (text: string): string => (['', '{}', 'null'].includes(text.trim()) ? '' : text);

function settingText(setting: JsonObject, { cells, priceAfterMapping }: SourceChannel): string {
  const known = Object.entries(setting).filter(
    ([name, value]) => isFilled(value) && typeof value === settingKinds[name],
  );
  // One-api replaces the caller's instructions by those of a column.
  const column = cells.text('system_prompt');
  if (column.trim() !== '') known.push(['system_prompt', column], ['system_prompt_override', 'instead']);
  if (priceAfterMapping) known.push(['price_after_mapping', true]);
  return known.length === 0 ? '' : JSON.stringify(Object.fromEntries(known));
}
