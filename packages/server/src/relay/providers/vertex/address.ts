import { type Channel, type KeyPlace, originOf, refuse } from '../../types/index.ts';
import { textOf, parseObject } from '../../../lib/json.ts';
import { isAccountKey, readAccount } from './key.ts';

/** Multi-regions, with hosts of their own. */
const multiRegions = new Set(['us', 'eu']);

/**
 * The region for a model: the channel's extra field is one region, or JSON of model → region with a `default`
 * (docs/compatibility.md#channel-types). Claude is found there under Anthropic's name and under Google's. Throws
 * RelayError.
 */
function parseRegion({ other }: Channel, model: string): string {
  const region = other.trimStart().startsWith('{') ? inTable(other, model) : other.trim() || 'global';
  // The region becomes part of a host name.
  if (/^[a-z0-9-]{1,40}$/.test(region)) return region;
  throw refuse('vertex_region_missing');
}

function inTable(other: string, model: string): string {
  const table = parseObject(other) ?? {};
  const names = [model, model.replace(/(-v\d)?@/, '-'), 'default'];
  const name = names.find((each) => Object.hasOwn(table, each));
  return name === undefined ? '' : textOf(table[name]);
}

/** Google's host for a region, unless the channel names a host of its own. */
function hostOf({ baseUrl }: Pick<Channel, 'baseUrl'>, region: string): string {
  if (baseUrl !== '') return baseUrl;
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  if (multiRegions.has(region)) return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/** The origins of all regions that a channel names. */
export function keyOrigins({ baseUrl, other }: KeyPlace): string[] {
  const storage = bucketIn(other) === '' ? [] : ['https://storage.googleapis.com'];
  if (baseUrl !== '') return [originOf(baseUrl), ...storage];
  const regions = other.trimStart().startsWith('{')
    ? Object.entries(parseObject(other) ?? {})
        .filter(([name]) => name !== bucketField)
        .map(([, region]) => textOf(region))
    : [other.trim() || 'global'];
  return [...regions.map((region) => hostOf({ baseUrl }, region)), ...storage];
}

/** The member of the extra field that names the bucket for videos. */
const bucketField = 'storageUri';

/** The bucket for videos, as `gs://name/folder`; '' if the channel names none. */
export function bucketIn(other: string): string {
  const uri = other.trimStart().startsWith('{') ? textOf(parseObject(other)?.[bucketField]) : '';
  return /^gs:\/\/[\w.-]+(?:\/[\w./-]*)?$/.test(uri) ? uri : '';
}

/** The path of a project in a region, before the publisher's name. Throws RelayError. */
function projectPath(channel: Channel, region: string): string {
  const { projectId } = readAccount(channel);
  return `/projects/${encodeURIComponent(projectId)}/locations/${region}`;
}

/** A call of one of Google's own models; with an API key its address has no project. */
export function googleUrl(channel: Channel, model: string, verb: string): string {
  const region = parseRegion(channel, model);
  const project = isAccountKey(channel) ? projectPath(channel, region) : '';
  return `${hostOf(channel, region)}/v1${project}/publishers/google/models/${encodeURIComponent(model)}:${verb}`;
}

/** A call of Claude. `path` is the model's name and its verb, or that of another call, in the region of `model`. */
export function anthropicUrl(channel: Channel, model: string, path: string): string {
  needsAccount(channel, 'Claude');
  const region = parseRegion(channel, model);
  return `${hostOf(channel, region)}/v1${projectPath(channel, region)}/publishers/anthropic/models/${path}`;
}

/** The chat call of open models. */
export function openUrl(channel: Channel, model: string): string {
  needsAccount(channel, 'open models');
  const region = parseRegion(channel, model);
  return `${hostOf(channel, region)}/v1beta1${projectPath(channel, region)}/endpoints/openapi/chat/completions`;
}

function needsAccount(channel: Channel, models: string): void {
  if (isAccountKey(channel)) return;
  throw refuse('vertex_key_without_models', { models });
}
