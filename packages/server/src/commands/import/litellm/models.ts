import { channelStatus } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';
import { convertLitellm } from '../../shared/litellm-config.ts';
import { readCells } from '../kit/cells.ts';
import { decryptValue } from './decrypt.ts';

/** Variables that the source has: its secrets, and keys of vendors. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Models of LiteLLM's database as rows of channels and options. */
export interface LitellmModels {
  channels: ForeignRow[];
  options: ForeignRow[];
  /** The offered names. */
  names: ReadonlySet<string>;
  /** The names of each access group. */
  groups: ReadonlyMap<string, readonly string[]>;
  notes: string[];
}

/** Reads the models, their credentials and the settings of routing. Throws if the key of their encryption is missing. */
export async function readModels(
  foreign: ForeignDatabase,
  variables: Variables,
  now: number,
): Promise<LitellmModels> {
  const settings = await readSettings(foreign, variables);
  const env: Variables = { ...settings.variables, ...variables };
  const credentials = await readCredentials(foreign, variables);
  const rows = await foreign.all('LiteLLM_ProxyModelTable', [
    'model_id',
    'model_name',
    'litellm_params',
    'model_info',
    'blocked',
  ]);
  const groups = new Map<string, string[]>();
  const notes: string[] = [];
  const list = rows.flatMap((row): JsonObject[] => {
    const cells = readCells(row, 'LiteLLM_ProxyModelTable');
    const name = cells.text('model_name');
    if (cells.flag('blocked')) {
      notes.push(`${name}: a deployment that is blocked stays behind`);
      return [];
    }
    const info = cells.json('model_info');
    for (const group of Array.isArray(info.access_groups) ? info.access_groups.map(textOf) : [])
      groups.set(group, [...(groups.get(group) ?? []), name]);
    const given = opened(cells.json('litellm_params'), variables, `the model ${name}`);
    const { litellm_credential_name: credential, ...params } = given;
    const all = { ...credentials.get(textOf(credential)), ...params };
    return [{ model_name: name, litellm_params: withVariables(all, env), model_info: known(info) }];
  });
  const { file, notes: left, secrets } = convertLitellm({ ...settings.parts, model_list: list }, {});
  const values = new Map([...secrets].map(([value, { env: name }]) => [name, value]));
  const valueOf = (value: unknown): string | undefined =>
    isVariable(value) ? (values.get(value.env) ?? env[value.env]) : textOf(value as Json);
  const channels = Object.entries(file.channels).map(([name, fields], index): ForeignRow => {
    const missing = new Set<string>();
    const resolve = (value: unknown): string => {
      const text = valueOf(value);
      if (text === undefined && isVariable(value)) missing.add(value.env);
      return text ?? '';
    };
    const headers = Object.entries(objectOf(fields['header_override'] as Json)).map(([header, value]) => [
      header,
      resolve(value),
    ]);
    const row = {
      id: index + 1,
      type: fields['type'],
      name,
      key: resolve(fields['key']),
      base_url: resolve(fields['base_url']),
      other: resolve(fields['other']),
      models: (fields['models'] as string[]).join(','),
      model_mapping: JSON.stringify(fields['model_mapping'] ?? {}),
      group: 'default',
      weight: fields['weight'] ?? 0,
      priority: fields['priority'] ?? 0,
      setting: JSON.stringify(fields['setting'] ?? {}),
      header_override: headers.length === 0 ? '' : JSON.stringify(Object.fromEntries(headers)),
      open_ai_organization: fields['openai_organization'] ?? '',
      created_time: now,
    };
    if (missing.size > 0)
      notes.push(
        `Channel ${row.id} (${name}) is off until you enter its key: LiteLLM read it from ${[...missing].join(', ')}`,
      );
    return { ...row, status: missing.size > 0 ? channelStatus.disabled : channelStatus.enabled };
  });
  const options = Object.entries(file.settings).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
  const names = new Set(list.map(({ model_name: name }) => textOf(name)));
  return { channels, options, names, groups, notes: [...notes, ...left] };
}

const isVariable = (value: unknown): value is { env: string } =>
  isObject(value as Json) && typeof (value as JsonObject).env === 'string';

/** Fields of `model_info` that the program adds itself, and that mean nothing here, are not reported. */
const ownInfo =
  /^(id|db_model|updated_at|updated_by|created_at|created_by|access_groups|team_id|team_public_model_name|direct_access|key|litellm_provider|mode|max_tokens|max_input_tokens|max_output_tokens|supports_.*)$/;
const known = (info: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(info).filter(([name, value]) => value !== null && !ownInfo.test(name)));

/** The salt key, or the master key without one. */
const secretOf = ({ LITELLM_SALT_KEY: salt, LITELLM_MASTER_KEY: master }: Variables): string =>
  salt || master || '';

/** An object with its texts decrypted. */
function opened(params: JsonObject, variables: Variables, what: string): JsonObject {
  const secret = secretOf(variables);
  const entries = Object.entries(params).filter(([, value]) => value !== null);
  if (secret === '' && entries.some(([, value]) => typeof value === 'string'))
    throw new Error(
      'the models of LiteLLM are encrypted: set LITELLM_SALT_KEY, or LITELLM_MASTER_KEY if it had no salt key, to what it had',
    );
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      try {
        return [name, decryptValue(value, secret)];
      } catch {
        throw new Error(
          `${what} cannot be decrypted: LITELLM_SALT_KEY, or LITELLM_MASTER_KEY if LiteLLM had no salt key, is another one`,
        );
      }
    }),
  );
}

/** The texts `os.environ/NAME` replaced, where the variable is there. */
const withVariables = (params: JsonObject, env: Variables): JsonObject =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const variable = textOf(value).startsWith('os.environ/') ? textOf(value).slice(11) : '';
      return [name, (variable !== '' ? env[variable] : undefined) ?? value];
    }),
  );

async function readCredentials(
  foreign: ForeignDatabase,
  variables: Variables,
): Promise<Map<string, JsonObject>> {
  const rows = await foreign.all('LiteLLM_CredentialsTable', ['credential_name', 'credential_values']);
  return new Map(
    rows.map((row) => {
      const cells = readCells(row, 'LiteLLM_CredentialsTable');
      const name = cells.text('credential_name');
      return [name, opened(cells.json('credential_values'), variables, `the credential ${name}`)];
    }),
  );
}

/** The parts of the configuration that LiteLLM keeps in its database, and the variables among them. */
async function readSettings(
  foreign: ForeignDatabase,
  variables: Variables,
): Promise<{ parts: JsonObject; variables: Variables }> {
  const rows = await foreign.all('LiteLLM_Config', ['param_name', 'param_value']);
  const all = new Map(
    rows.map((row) => {
      const cells = readCells(row, 'LiteLLM_Config');
      return [cells.text('param_name'), cells.json('param_value')];
    }),
  );
  const stored = opened(all.get('environment_variables') ?? {}, variables, 'environment_variables');
  return {
    parts: {
      router_settings: all.get('router_settings') ?? {},
      litellm_settings: all.get('litellm_settings') ?? {},
    },
    variables: Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, textOf(value)])),
  };
}
