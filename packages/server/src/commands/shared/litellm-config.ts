import type { RoutingPolicy } from '@tollgate/contract';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { providers } from '../../relay/registry.ts';
import type { SiteFile } from './site-file.ts';

/** The provider of each prefix of `litellm_params.model`, and the variable that LiteLLM reads its key from. */
const vendors: Readonly<Record<string, readonly [provider: string, variable: string]>> = {
  anthropic: ['anthropic', 'ANTHROPIC_API_KEY'],
  azure: ['azure', 'AZURE_API_KEY'],
  bedrock: ['bedrock', ''],
  cerebras: ['cerebras', 'CEREBRAS_API_KEY'],
  cohere: ['cohere', 'COHERE_API_KEY'],
  cohere_chat: ['cohere', 'COHERE_API_KEY'],
  dashscope: ['ali', 'DASHSCOPE_API_KEY'],
  deepseek: ['deepseek', 'DEEPSEEK_API_KEY'],
  fireworks_ai: ['fireworks', 'FIREWORKS_AI_API_KEY'],
  gemini: ['gemini', 'GEMINI_API_KEY'],
  github: ['github-models', 'GITHUB_API_KEY'],
  groq: ['groq', 'GROQ_API_KEY'],
  hosted_vllm: ['vllm', ''],
  huggingface: ['hugging-face', 'HUGGINGFACE_API_KEY'],
  jina_ai: ['jina', 'JINA_AI_API_KEY'],
  lm_studio: ['lm-studio', ''],
  minimax: ['minimax', 'MINIMAX_API_KEY'],
  mistral: ['mistral', 'MISTRAL_API_KEY'],
  moonshot: ['moonshot', 'MOONSHOT_API_KEY'],
  novita: ['novita', 'NOVITA_API_KEY'],
  nvidia_nim: ['nvidia', 'NVIDIA_NIM_API_KEY'],
  ollama: ['ollama', ''],
  ollama_chat: ['ollama', ''],
  openai: ['openai', 'OPENAI_API_KEY'],
  openrouter: ['openrouter', 'OPENROUTER_API_KEY'],
  perplexity: ['perplexity', 'PERPLEXITYAI_API_KEY'],
  sambanova: ['sambanova', 'SAMBANOVA_API_KEY'],
  together_ai: ['together', 'TOGETHERAI_API_KEY'],
  vertex_ai: ['vertex', ''],
  volcengine: ['volcengine', 'VOLCENGINE_API_KEY'],
  voyage: ['voyage', 'VOYAGE_API_KEY'],
  xai: ['xai', 'XAI_API_KEY'],
  xinference: ['xinference', ''],
};

const policies: Readonly<Record<string, RoutingPolicy>> = {
  'least-busy': 'least_busy',
  'latency-based-routing': 'fastest',
  'cost-based-routing': 'cheapest',
};

/** Fields of `litellm_params` and `model_info` that become something here; others are reported. */
const known = new Set(
  `model api_base api_key api_version organization aws_access_key_id aws_secret_access_key aws_region_name
  vertex_credentials vertex_location vertex_project extra_headers rpm tpm max_parallel_requests weight order
  input_cost_per_token output_cost_per_token cache_read_input_token_cost cache_creation_input_token_cost
  id mode description base_model litellm_provider`.split(/\s+/),
);

/** Names of headers whose values are secrets. */
const secretHeader = /auth|key|token|secret|cookie/i;
/** A ratio of one is two dollars for a million tokens. */
const dollarsOfRatio = 0.000002;
/** Without the noise of the division, which a person would read in the file. */
const rounded = (value: number): number => Number(value.toPrecision(12));

interface Variable {
  env: string;
}

/** A deployment of `model_list` as a channel of one model. */
interface Deployment {
  offered: string;
  upstream: string;
  /** The fields of its channel but the models. */
  channel: Record<string, unknown>;
  /** True if it has limits, which are its own. */
  isAlone: boolean;
  /** Its place in `model_list`, the same for its aliases. */
  place: number;
}

/** The file that results from a configuration, and what an operator has to know, a sentence each. */
export interface Converted {
  file: SiteFile;
  notes: string[];
}

/** A secret in clear text, for which the file has a variable. */
interface Secret {
  env: string;
  /** What it is. */
  words: string;
}

/**
 * Reads a `config.yaml` of LiteLLM as the file of a site.
 *
 * @param settings - those of the site: prices and fallbacks are added to its own
 */
export function readLitellmConfig(text: string, settings: Readonly<Record<string, unknown>>): Converted {
  const config: unknown = parse(text);
  if (!isObject(config as Json)) throw new Error('this is no configuration of LiteLLM');
  const { file, notes, secrets } = convertLitellm(config as JsonObject, settings);
  if (Object.keys(file.channels).length === 0 && objectsIn((config as JsonObject).model_list).length === 0)
    throw new Error('the configuration has no model_list');
  return {
    file,
    notes: [...notes, ...[...secrets.values()].map(({ env, words }) => `set ${env} to ${words}`)],
  };
}

/** The same from the values of a configuration, with the secrets in it by their text. */
export function convertLitellm(
  { model_list: list, router_settings, litellm_settings, general_settings }: JsonObject,
  settings: Readonly<Record<string, unknown>>,
): Converted & { secrets: ReadonlyMap<string, Secret> } {
  const notes = new Set<string>();
  const names = new Map<string, Secret>();
  const named = withAliases(objectsIn(list), objectOf(router_settings).model_group_alias);
  const entries = named.map(({ entry }) => entry);
  const deployments = named.flatMap(({ entry, place }) => {
    const read = readDeployment(entry, { names, notes });
    return read ? [{ ...read, place }] : [];
  });
  const file: SiteFile = {
    settings: {
      ...readPrices(entries, settings, notes),
      ...readRouting({ ...objectOf(litellm_settings), ...objectOf(router_settings) }, settings, notes),
    },
    channels: groupChannels(deployments),
    budgets: {},
  };
  if (objectOf(general_settings).master_key !== undefined)
    notes.add('master_key: make an access token under Profile instead');
  if (objectOf(general_settings).database_url !== undefined)
    notes.add('database_url: keys, users, teams and their budgets stay in that database');
  return { file, notes: [...notes], secrets: names };
}

/** An alias is one more name of each deployment of its model. */
function withAliases(
  entries: readonly JsonObject[],
  aliases: Json | undefined,
): { entry: JsonObject; place: number }[] {
  const all = entries.map((entry, place) => ({ entry, place }));
  const more = Object.entries(objectOf(aliases)).flatMap(([alias, target]) => {
    const model = typeof target === 'string' ? target : textOf(objectOf(target).model);
    return all
      .filter(({ entry }) => entry.model_name === model && model !== alias)
      .map(({ entry, place }) => ({ entry: { ...entry, model_name: alias }, place }));
  });
  return [...all, ...more];
}

const numberIn = (value: Json | undefined): number => (typeof value === 'number' && value > 0 ? value : 0);

function readDeployment(
  entry: JsonObject,
  { names, notes }: { names: Map<string, Secret>; notes: Set<string> },
): Omit<Deployment, 'place'> | undefined {
  const offered = textOf(entry.model_name);
  const given = objectOf(entry.litellm_params);
  const [prefix, upstream] = splitModel(textOf(given.model), given.api_base !== undefined);
  const [id, variable] = vendors[prefix] ?? [];
  const provider = providers.find((each) => each.id === id);
  if (offered === '' || upstream === '' || provider === undefined || variable === undefined) {
    notes.add(`${offered || 'a model without a name'}: there is no vendor for ${textOf(given.model)}`);
    return undefined;
  }
  if (offered.includes('*') || upstream.includes('*')) {
    notes.add(`${offered}: name the models; a channel offers no patterns`);
    return undefined;
  }
  for (const field of Object.keys({ ...given, ...objectOf(entry.model_info) }))
    if (!known.has(field)) notes.add(`${offered}: ${field} is left out`);
  const limits = limitsOf(given);
  const headers = headersOf(offered, given.extra_headers, names);
  return {
    offered,
    upstream,
    isAlone: limits !== undefined,
    channel: {
      type: provider.type,
      ...addressOf(prefix, given, { usual: provider.baseUrl ?? '', notes }),
      ...keyOf(prefix, given, { variable, names }),
      ...(textOf(given.organization) !== '' && { openai_organization: textOf(given.organization) }),
      ...(numberIn(given.weight) > 0 && { weight: Math.ceil(numberIn(given.weight)) }),
      // LiteLLM tries a lower order first, this site a higher priority.
      ...(typeof given.order === 'number' && { priority: -given.order }),
      ...(limits && { setting: { limits } }),
      ...(Object.keys(headers).length > 0 && { header_override: headers }),
    },
  };
}

/** `anthropic/claude-opus-4` as prefix and model. Without a prefix the name, or an address, tells the vendor. */
function splitModel(model: string, hasAddress: boolean): [prefix: string, model: string] {
  const at = model.indexOf('/');
  const prefix = model.slice(0, at);
  if (at > 0 && Object.hasOwn(vendors, prefix))
    return [prefix, model.slice(at + 1).replace(/^(converse|invoke|responses)\//, '')];
  if (model.startsWith('claude-') && !hasAddress) return ['anthropic', model];
  return [
    hasAddress || /^(gpt-|chatgpt-|o\d|text-embedding-|dall-e|tts-|whisper)/.test(model) ? 'openai' : '',
    model,
  ];
}

function limitsOf({ rpm, tpm, max_parallel_requests: parallel }: JsonObject): JsonObject | undefined {
  const limits: JsonObject = {
    ...(numberIn(rpm) > 0 && { requests_per_minute: numberIn(rpm) }),
    ...(numberIn(tpm) > 0 && { tokens_per_minute: numberIn(tpm) }),
    ...(numberIn(parallel) > 0 && { calls_at_once: numberIn(parallel) }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

/** The address without the version, which a channel adds, and the extra field of the vendor. */
function addressOf(
  prefix: string,
  given: JsonObject,
  { usual, notes }: { usual: string; notes: Set<string> },
): Record<string, unknown> {
  const base = fromEnv(given.api_base);
  if (typeof base !== 'string') notes.add(`${base.env} must not end in /v1, which is added here`);
  const address = typeof base === 'string' ? base.replace(/\/+$/, '').replace(/\/v1(beta)?$/, '') : base;
  const other = prefix === 'vertex_ai' ? given.vertex_location : prefix === 'azure' ? given.api_version : '';
  return {
    ...(address !== '' && address !== usual && { base_url: address }),
    ...(textOf(other) !== '' && { other: fromEnv(other) }),
  };
}

/** `os.environ/NAME` as the variable; any other text as it is. */
function fromEnv(value: Json | undefined): string | Variable {
  const text = textOf(value);
  return text.startsWith('os.environ/') ? { env: text.slice('os.environ/'.length) } : text;
}

/** The key as a variable: the file of a site has no key in clear text. */
function keyOf(
  prefix: string,
  given: JsonObject,
  { variable, names }: { variable: string; names: Map<string, Secret> },
): { key?: Variable } {
  if (given.api_key === undefined && prefix === 'bedrock') {
    const region = textOf(given.aws_region_name);
    const of = [given.aws_access_key_id, given.aws_secret_access_key].map(textOf);
    return {
      key: named(names, [...of, region].join('|'), 'BEDROCK_KEY', 'ACCESS_KEY_ID|SECRET_ACCESS_KEY|REGION'),
    };
  }
  const account = prefix === 'vertex_ai' && given.api_key === undefined;
  const key = fromEnv(account ? given.vertex_credentials : given.api_key);
  if (typeof key !== 'string') return { key };
  if (account) return { key: named(names, key, 'VERTEX_ACCOUNT', 'the JSON of the service account') };
  if (key === '') return variable === '' ? {} : { key: { env: variable } };
  return { key: named(names, key, 'LITELLM_KEY', `the key of ${textOf(given.model)}`) };
}

/** Headers that are sent to the vendor. Those that may be secrets are variables. */
const headersOf = (
  offered: string,
  given: Json | undefined,
  names: Map<string, Secret>,
): Record<string, string | Variable> =>
  Object.fromEntries(
    Object.entries(objectOf(given)).map(([name, value]) => {
      const text = fromEnv(value);
      if (typeof text !== 'string' || !secretHeader.test(name)) return [name, text];
      return [name, named(names, text, 'LITELLM_HEADER', `the header ${name} of ${offered}`)];
    }),
  );

/** A variable for a secret, the same for the same one. */
function named(names: Map<string, Secret>, secret: string, name: string, words: string): Variable {
  const known = names.get(secret);
  if (known) return { env: known.env };
  const others = [...names.values()].filter(({ env }) => env.startsWith(name)).length;
  const env = others === 0 ? name : `${name}_${others + 1}`;
  names.set(secret, { env, words });
  return { env };
}

/**
 * Deployments of one vendor, address and key are one channel. One with limits of its own, which its aliases share, or for
 * a model that the channel has already, is another.
 */
function groupChannels(deployments: readonly Deployment[]): Record<string, Record<string, unknown>> {
  const channels = new Map<
    string,
    { common: string; place: number; fields: Record<string, unknown>; models: Map<string, string> }
  >();
  for (const { offered, upstream, channel, isAlone, place } of deployments) {
    const common = JSON.stringify(channel);
    const found = [...channels.values()].find(
      (each) => (!isAlone || each.place === place) && each.common === common && !each.models.has(offered),
    );
    if (found) {
      found.models.set(offered, upstream);
      continue;
    }
    const base = providers.find(({ type }) => type === channel['type'])?.id ?? 'channel';
    let name = base;
    for (let n = 2; channels.has(name); n += 1) name = `${base} ${n}`;
    channels.set(name, { common, place, fields: channel, models: new Map([[offered, upstream]]) });
  }
  return Object.fromEntries(
    [...channels].map(([name, { fields, models }]) => {
      const mapping = Object.fromEntries([...models].filter(([offered, upstream]) => offered !== upstream));
      const isMapped = Object.keys(mapping).length > 0;
      return [name, { ...fields, models: [...models.keys()], ...(isMapped && { model_mapping: mapping }) }];
    }),
  );
}

/** The tables of prices with those of the configuration. */
function readPrices(
  entries: readonly JsonObject[],
  settings: Readonly<Record<string, unknown>>,
  notes: Set<string>,
): Record<string, unknown> {
  const found: Record<string, Record<string, number>> = {};
  const set = (table: string, model: string, value: number): void => {
    (found[table] ??= {})[model] = rounded(value);
  };
  const priced = new Map<string, string>();
  for (const entry of entries) {
    const model = textOf(entry.model_name);
    const info = { ...objectOf(entry.model_info), ...objectOf(entry.litellm_params) };
    const { input_cost_per_token: input, output_cost_per_token: output } = info;
    if (typeof input !== 'number' || typeof output !== 'number') continue;
    const read = info.cache_read_input_token_cost;
    const write = info.cache_creation_input_token_cost;
    const price = JSON.stringify([input, output, read, write]);
    if (priced.has(model)) {
      if (priced.get(model) !== price) notes.add(`${model}: has several prices; the first one is taken`);
      continue;
    }
    priced.set(model, price);
    if (input < 0 || output < 0 || (input === 0 && output > 0)) {
      notes.add(`${model}: set its price by hand`);
      continue;
    }
    set('ModelRatio', model, input / dollarsOfRatio);
    if (input === 0) continue;
    set('CompletionRatio', model, output / input);
    if (typeof read === 'number') set('CacheRatio', model, read / input);
    if (typeof write === 'number') set('CreateCacheRatio', model, write / input);
  }
  return Object.fromEntries(
    Object.entries(found).map(([table, prices]) => [
      table,
      { ...objectOf(settings[table] as Json), ...prices },
    ]),
  );
}

/** Retries, the choice among channels and fallbacks. */
function readRouting(
  given: JsonObject,
  settings: Readonly<Record<string, unknown>>,
  notes: Set<string>,
): Record<string, unknown> {
  const { routing_strategy: strategy, num_retries: retries, fallbacks } = given;
  for (const left of ['context_window_fallbacks', 'content_policy_fallbacks', 'default_fallbacks'])
    if (given[left] !== undefined) notes.add(`${left} are left out`);
  const policy = policies[textOf(strategy)];
  if (strategy !== undefined && strategy !== 'simple-shuffle' && policy === undefined)
    notes.add(`the strategy ${textOf(strategy)} is left out: channels are drawn by weight`);
  const models = Object.assign({}, ...objectsIn(fallbacks)) as JsonObject;
  return {
    ...(typeof retries === 'number' && { RetryTimes: String(retries) }),
    ...(policy && { RoutingPolicies: { ...objectOf(settings['RoutingPolicies'] as Json), '*': policy } }),
    ...(Object.keys(models).length > 0 && {
      ModelFallbacks: { ...objectOf(settings['ModelFallbacks'] as Json), ...models },
    }),
  };
}
