/**
 * Vendors' model names → Bedrock's ids, and the areas of a profile that distributes calls over several regions. From
 * Claude 3.5 on, those models are available only through a profile (Bedrock user guide, supported Regions for inference
 * profiles).
 */

/** Prefix of an id: an area, or `global`. */
type Area = 'us' | 'eu' | 'apac' | 'jp' | 'au' | 'global';
const older: readonly Area[] = ['us', 'eu', 'apac'];
const newer: readonly Area[] = ['us', 'eu', 'jp', 'au', 'global'];

const claude: Readonly<Record<string, readonly [id: string, areas: readonly Area[]]>> = {
  'claude-instant-1.2': ['claude-instant-v1', []],
  'claude-2.0': ['claude-v2', []],
  'claude-2.1': ['claude-v2:1', []],
  'claude-3-haiku-20240307': ['claude-3-haiku-20240307-v1:0', older],
  'claude-3-sonnet-20240229': ['claude-3-sonnet-20240229-v1:0', older],
  'claude-3-opus-20240229': ['claude-3-opus-20240229-v1:0', ['us']],
  'claude-3-5-haiku-20241022': ['claude-3-5-haiku-20241022-v1:0', ['us']],
  'claude-3-5-sonnet-20240620': ['claude-3-5-sonnet-20240620-v1:0', older],
  'claude-3-5-sonnet-20241022': ['claude-3-5-sonnet-20241022-v2:0', ['us', 'apac']],
  'claude-3-7-sonnet-20250219': ['claude-3-7-sonnet-20250219-v1:0', older],
  'claude-sonnet-4-20250514': ['claude-sonnet-4-20250514-v1:0', [...older, 'global']],
  'claude-opus-4-20250514': ['claude-opus-4-20250514-v1:0', ['us']],
  'claude-opus-4-1-20250805': ['claude-opus-4-1-20250805-v1:0', ['us']],
  'claude-sonnet-4-5-20250929': ['claude-sonnet-4-5-20250929-v1:0', newer],
  'claude-haiku-4-5-20251001': ['claude-haiku-4-5-20251001-v1:0', newer],
  'claude-opus-4-5-20251101': ['claude-opus-4-5-20251101-v1:0', ['us', 'eu', 'global']],
  'claude-opus-4-6': ['claude-opus-4-6-v1', ['us', 'eu', 'au', 'global']],
  'claude-sonnet-4-6': ['claude-sonnet-4-6', newer],
  'claude-opus-4-7': ['claude-opus-4-7', ['us', 'eu', 'global']],
  'claude-opus-4-8': ['claude-opus-4-8', ['us', 'eu', 'global']],
};

const nova: Readonly<Record<string, readonly [id: string, areas: readonly Area[]]>> = {
  'nova-micro': ['nova-micro-v1:0', older],
  'nova-lite': ['nova-lite-v1:0', older],
  'nova-pro': ['nova-pro-v1:0', older],
  'nova-premier': ['nova-premier-v1:0', ['us']],
  'nova-2-lite': ['nova-2-lite-v1:0', ['us', 'eu', 'jp', 'global']],
};

/**
 * Claude models that Amazon has ended (Bedrock user guide, model lifecycle, November 2026): mapped, and no longer
 * offered.
 */
const ended = /^claude-(instant|2|3)|^claude-(sonnet|opus)-4-2025/;

/** The names that are mapped and still served, for the console's list. */
export const knownNames: readonly string[] = [
  ...Object.keys(claude).filter((name) => !ended.test(name)),
  ...Object.keys(nova),
];

/**
 * Bedrock's id of a model, in a region: a known name is mapped, with the profile of the region's area if the model has
 * one; ids, ARNs and unknown names stay unchanged.
 */
export function modelId(model: string, region: string): string {
  // Some callers use Nova's names with Bedrock's own version at the end.
  const plain = model.replace(/-v\d+:\d+$/, '');
  const [vendor, found] = Object.hasOwn(claude, model)
    ? ['anthropic', claude[model]!]
    : Object.hasOwn(nova, plain)
      ? ['amazon', nova[plain]!]
      : [undefined, undefined];
  if (!found) return model;
  const [id, areas] = found;
  const area = areasOf(region).find((each) => areas.includes(each));
  return `${area === undefined ? '' : `${area}.`}${vendor}.${id}`;
}

/** The areas with profiles for a region, the nearest first. */
function areasOf(region: string): readonly Area[] {
  if (/^ap-northeast-[13]$/.test(region)) return ['jp', 'apac', 'global'];
  if (/^ap-southeast-[24]$/.test(region)) return ['au', 'apac', 'global'];
  if (region.startsWith('ap-')) return ['apac', 'global'];
  // Regions of governments and of China have their own profiles or none.
  if (/^us-(gov|iso)|^cn-/.test(region)) return [];
  if (region.startsWith('us-')) return ['us', 'global'];
  return region.startsWith('eu-') ? ['eu', 'global'] : ['global'];
}
