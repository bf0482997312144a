import { channelStatus } from '@tollgate/contract';
import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { providers } from '../../../relay/registry.ts';
import type { ForeignRow } from '../../../store/index.ts';
import type { Cells } from '../kit/cells.ts';

/** Types of the platforms; others have none here. */
const types: Readonly<Record<string, number>> = { anthropic: 14, openai: 1, gemini: 24, grok: 48 };
/** Kinds of accounts with a key of the vendor, or of another gateway. All others sign in as a person. */
const withKey: ReadonlySet<string> = new Set(['apikey', 'api_key', 'upstream']);

/** The models that an account serves, and those of the vendor behind them. Without a table it serves those of its platform. */
function modelsOf(credentials: JsonObject, type: number): { models: string[]; mapping: JsonObject } {
  const table = Object.entries(objectOf(credentials.model_mapping));
  const usual = providers.find((provider) => provider.type === type)?.models ?? [];
  if (table.length === 0) return { models: [...usual], mapping: {} };
  const models = new Set<string>();
  const mapping: JsonObject = {};
  for (const [name, target] of table) {
    const start = name.endsWith('*') ? name.slice(0, -1) : undefined;
    const names = start === undefined ? [name] : usual.filter((model) => model.startsWith(start));
    for (const model of names) {
      models.add(model);
      const wanted = textOf(target);
      if (wanted !== '' && wanted !== name && wanted !== model) mapping[model] = wanted;
    }
  }
  return { models: [...models], mapping };
}

/** An account of a vendor as a row of channels, in its groups. */
export function channelOf(
  cells: Cells,
  { groups, proxy, now }: { groups: readonly string[]; proxy: string; now: number },
): ForeignRow {
  const kind = cells.text('type');
  const type = withKey.has(kind) ? (types[cells.text('platform')] ?? 0) : 0;
  const credentials = cells.json('credentials');
  const { models, mapping } = modelsOf(credentials, type);
  const isOn = cells.text('status') === 'active' && (!cells.has('schedulable') || cells.flag('schedulable'));
  const atOnce = cells.whole('concurrency');
  return {
    id: cells.whole('id'),
    type,
    name: cells.text('name'),
    key: textOf(credentials.api_key),
    base_url: textOf(credentials.base_url)
      .replace(/\/+$/, '')
      .replace(/\/v1(beta)?$/, ''),
    other: '',
    models: models.join(','),
    model_mapping: JSON.stringify(mapping),
    group: groups.join(',') || 'default',
    // A lower number is tried first there.
    priority: 0 - cells.whole('priority'),
    weight: 0,
    status: isOn ? channelStatus.enabled : channelStatus.disabled,
    created_time: cells.date('created_at') ?? now,
    setting: JSON.stringify({
      ...(atOnce > 0 && { limits: { calls_at_once: atOnce } }),
      ...(proxy !== '' && { proxy }),
      ...(!withKey.has(kind) && { [`accounts of the kind ${kind}`]: true }),
    }),
  };
}
